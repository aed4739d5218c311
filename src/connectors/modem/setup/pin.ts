import type { ConnectorTools } from '../../connector-tools.ts'
import { type Ask, askWhileBusy } from '../at/ask.ts'
import { type AtAnswer, valueOf, valuesOf } from '../at/at-command.ts'
import { type Profile, triesQueries } from './profiles.ts'

/** Why a SIM cannot be used. */
export type SimFault =
  | 'no_sim'
  | 'sim_failed'
  | 'sim_busy'
  | 'sim_pin'
  | 'sim_puk'
  | 'sim_changed'
  | 'pin_refused'
  | 'pin_last_try'

/** The state of a SIM as +CPIN? names it; `unnamed` where the modem does not. */
export type SimState = 'ready' | 'unnamed' | 'pin' | 'no_sim' | 'sim_failed' | 'sim_busy' | 'sim_puk'

/** The mark that a PIN was tried; it goes when the SIM is ready, or a person sets the PIN again. */
const pinMark = 'pin'
/** With fewer tries left none is made: the last one is a person's. */
const minTries = 2

export interface PinDeps {
  ask: Ask
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  /** Durable, and the same for all nodes; `mark` resolves with false where the mark was there before. */
  marks: { mark(name: string): Promise<boolean>; unmark(name: string): Promise<void> }
  profile: Pick<Profile, 'tries'>
  /** The secret of the device; null without one. */
  pin: string | null
}

/** Asks for the state of the SIM; again while it is busy, up to half a minute. */
export async function readSimState({ ask, tools }: Pick<PinDeps, 'ask' | 'tools'>): Promise<SimState> {
  const read = () => ask('AT+CPIN?', { prefix: '+CPIN:', mayLackOk: true })
  return stateIn(await askWhileBusy(read, tools))
}

/**
 * Unlocks the SIM; returns why it could not, null once it is ready. Each PIN is tried at most once, ever: a mark is
 * stored before it is written, and stays after a refusal, a time-out, a crash or a move to another node, until the
 * SIM is ready or a person sets the PIN again. Three wrong tries lock a SIM.
 */
export async function unlock(deps: PinDeps): Promise<SimFault | null> {
  const { ask, marks, pin } = deps
  const state = await readSimState(deps)
  if (state === 'ready') {
    await marks.unmark(pinMark)
    return null
  }
  // What a modem does not say is not held against it.
  if (state === 'unnamed') return null
  if (state !== 'pin') return state
  // Anything else would not be a PIN, but a part of another command.
  if (pin === null || !/^\d{4,8}$/.test(pin)) return 'sim_pin'
  const tries = await readTries(deps)
  if (tries !== null && tries < minTries) return 'pin_last_try'
  if (!(await marks.mark(pinMark))) return 'pin_refused'
  const answer = await ask(`AT+CPIN="${pin}"`, { prefix: '+CPIN:' })
  if (answer.kind === 'error') return answer.error.code === pukWanted ? 'sim_puk' : 'pin_refused'
  const after = answer.kind === 'ok' ? await readSimState(deps) : 'unnamed'
  if (after !== 'ready') return after === 'pin' || after === 'unnamed' ? 'pin_refused' : after
  await marks.unmark(pinMark)
  return null
}

/** The tries left of the PIN, by whichever command the modem has; null where it does not say. */
async function readTries({ ask, profile }: Pick<PinDeps, 'ask' | 'profile'>): Promise<number | null> {
  for (const query of profile.tries) {
    const { prefix, place } = triesQueries[query]
    const value = valueOf(await ask(query, { prefix: prefix.slice(0, prefix.indexOf(':') + 1) }), prefix)
    const tries = value === null ? '' : (valuesOf(value)[place] ?? '')
    if (/^\d{1,2}$/.test(tries)) return Number(tries)
  }
  return null
}

/** `+CME ERROR` (3GPP TS 27.007, section 9.2): the SIM awaits its PUK. */
const pukWanted = 12
const cmeStates: ReadonlyMap<number, SimState> = new Map([
  [10, 'no_sim'],
  [11, 'pin'],
  [pukWanted, 'sim_puk'],
  [13, 'sim_failed'],
  [14, 'sim_busy'],
  [15, 'sim_failed'],
])
/** `+CMS ERROR` (TS 27.005, section 3.2.5), which some modems give in their place. */
const cmsStates: ReadonlyMap<number, SimState> = new Map([
  [310, 'no_sim'],
  [311, 'pin'],
  [313, 'sim_failed'],
  [314, 'sim_busy'],
  [315, 'sim_failed'],
  [316, 'sim_puk'],
])

/** `ready` frees a PIN to be tried again, so that only what says so is taken for it. */
function stateNamed(value: string): SimState {
  if (value.includes('PUK') || /^PH[-_]|^BLOCKED/.test(value)) return 'sim_puk'
  if (value === 'SIM PIN') return 'pin'
  // SIM800 and Quectel say these also in answer to the command.
  if (value === 'NOT INSERTED') return 'no_sim'
  if (value === 'NOT READY') return 'sim_busy'
  // PIN2 guards nothing that an SMS needs.
  return value === 'READY' || value === 'SIM PIN2' ? 'ready' : 'unnamed'
}

function stateIn(answer: AtAnswer): SimState {
  const value = valueOf(answer, '+CPIN:')
  if (value !== null) return stateNamed(value)
  if (answer.kind !== 'error' || answer.error.code === null) return 'unnamed'
  const states = answer.error.source === 'cms' ? cmsStates : cmeStates
  return states.get(answer.error.code) ?? 'unnamed'
}
