import type { Ask } from '../at/ask.ts'
import { type AtAnswer, valueOf, valuesOf } from '../at/at-command.ts'

/** What a modem says about its network; null where it does not say it. */
export interface Registration {
  registered: boolean | null
  roaming: boolean | null
}

/** 3GPP TS 27.007, section 7.2: home, roaming, and both for SMS only. */
const states: ReadonlyMap<string, Registration> = new Map([
  ['1', { registered: true, roaming: false }],
  ['5', { registered: true, roaming: true }],
  ['6', { registered: true, roaming: false }],
  ['7', { registered: true, roaming: true }],
])
const queries = ['+CREG', '+CGREG', '+CEREG'] as const
const unknown: Registration = { registered: null, roaming: null }

/** Returns whether the modem is registered, by any of its networks: of calls, of data, or LTE. */
export async function readRegistration(ask: Ask): Promise<Registration> {
  let read: Registration = unknown
  for (const name of queries) {
    const said = registrationIn(await ask(`AT${name}?`, { prefix: `${name}:` }), name)
    if (said.registered === true) return said
    if (said.registered !== null) read = said
  }
  return read
}

/** An answer is `n,stat,…`; the unsolicited line has no n, and is none. */
function registrationIn(answer: AtAnswer, name: string): Registration {
  for (const { text } of answer.lines) {
    const [mode = '', state = ''] = valuesOf(text.slice(name.length + 1))
    if (/^\d$/.test(mode.trim()) && /^\d$/.test(state))
      return states.get(state) ?? { registered: false, roaming: null }
  }
  return unknown
}

/** Returns the signal in dBm; null when the modem does not know it (TS 27.007, section 8.5). */
export async function readSignal(ask: Ask): Promise<number | null> {
  const value = valueOf(await ask('AT+CSQ', { prefix: '+CSQ:', mayFollowOk: true }), '+CSQ:')
  const [level = ''] = valuesOf(value ?? '')
  return /^\d{1,2}$/.test(level) && Number(level) <= maxLevel ? weakestDbm + 2 * Number(level) : null
}
const maxLevel = 31
const weakestDbm = -113

/** Returns the name of the network, or its number; null without one. */
export async function readOperator(ask: Ask): Promise<string | null> {
  const value = valueOf(await ask('AT+COPS?', { prefix: '+COPS:' }), '+COPS:')
  const name = valuesOf(value ?? '')[2] ?? ''
  return name === '' ? null : name.slice(0, maxNameLetters)
}
const maxNameLetters = 40
