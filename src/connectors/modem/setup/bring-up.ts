import type { ConnectorTools } from '../../connector-tools.ts'
import { type Ask, askWhileBusy } from '../at/ask.ts'
import { valueOf, valuesOf } from '../at/at-command.ts'
import { type ModemIdentity, readIdentity, readSimMark } from './identity.ts'
import { type Indications, setIndications } from './indications.ts'
import { type PinDeps, type SimFault, unlock } from './pin.ts'
import { type Profile, type ProfileName, profileOf } from './profiles.ts'
import { readServiceCentre } from './service-centre.ts'
import { chooseStorage, type Memory, type Storage } from './storage.ts'

/** Why a modem that answers cannot be used. */
export type ModemFault = SimFault | 'other_modem' | 'no_pdu_mode' | 'no_answer'

/** What is set of the modem that is expected. */
export interface BringUpSettings {
  profile: ProfileName | 'auto'
  /** The modem and the SIM that may be used, once they are known; null before. */
  imei: string | null
  simMark: string | null
  /** The service centre that is written into each PDU; null leaves it to the SIM. */
  serviceCentre: string | null
  storage: Memory | 'auto'
  reportRoute: 'auto' | 'direct' | 'stored'
  /** Further commands of the operator. */
  init: readonly string[]
}

export interface BringUpDeps extends Pick<PinDeps, 'marks' | 'pin'> {
  ask: Ask
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  settings: BringUpSettings
}

/** A modem that can be used, or why it cannot. Without a service centre it receives only. */
export type BroughtUp =
  | ({
      kind: 'up'
      profile: Profile
      simMark: string | null
      storage: Storage
      indications: Indications
      hasServiceCentre: boolean
    } & ModemIdentity)
  | { kind: 'fault'; fault: ModemFault; identity: ModemIdentity; simMark: string | null }

/**
 * Makes a modem ready: who it is, its SIM, its radio, PDUs, where received messages are stored and how they are
 * announced. Only CPIN and CMGF are needed; all else may be refused. Nothing is stored in the modem (`&W`), and
 * nothing is reset (`Z`, `&F`): other programs may have their settings there.
 */
export async function bringUp(deps: BringUpDeps): Promise<BroughtUp> {
  try {
    return await makeReady({ ...deps, ask: whileAnswered(deps.ask) })
  } catch (error) {
    if (!(error instanceof SilentModem)) throw error
    return {
      kind: 'fault',
      fault: 'no_answer',
      identity: { maker: null, model: null, imei: null },
      simMark: null,
    }
  }
}

/** The modem does not answer any more. */
class SilentModem extends Error {}

/** A command may go unanswered; the one after it is first preceded by several AT. */
const maxUnanswered = 2

/** Asks as long as the modem answers; throws a SilentModem then. */
function whileAnswered(ask: Ask): Ask {
  let unanswered = 0
  return async (text, expected) => {
    const answer = await ask(text, expected)
    unanswered = answer.kind === 'timeout' ? unanswered + 1 : 0
    if (unanswered === maxUnanswered) throw new SilentModem()
    return answer
  }
}

async function makeReady(deps: BringUpDeps): Promise<BroughtUp> {
  const { ask, settings } = deps
  if ((await ask('ATE0')).kind === 'timeout') throw new SilentModem()
  await ask('AT+CMEE=1')
  const early = await readIdentity(ask)
  let simMark: string | null = null
  const fault = (reason: ModemFault, identity = early): BroughtUp => ({
    kind: 'fault',
    fault: reason,
    identity,
    simMark,
  })
  if (isOther(settings.imei, early.imei)) return fault('other_modem')
  const profile = profileOf(settings.profile, early.maker, early.model)
  for (const command of profile.first) await ask(command)
  // Before the PIN: it is this SIM's, and three wrong tries would lock another one.
  simMark = await readSimMark(ask, profile)
  if (isOther(settings.simMark, simMark)) return fault('sim_changed')
  const locked = await unlock({ ...deps, profile })
  if (locked !== null) return fault(locked)
  await switchOn(deps)
  // Some modems answer nothing else before the PIN.
  await ask('AT+CMEE=1')
  const identity = early.imei === null || early.maker === null ? await readIdentity(ask) : early
  if (isOther(settings.imei, identity.imei)) return fault('other_modem', identity)
  simMark ??= await readSimMark(ask, profile)
  if (isOther(settings.simMark, simMark)) return fault('sim_changed', identity)
  const unusable = await setPduMode(deps)
  if (unusable !== null) return fault(unusable, identity)
  for (const command of settings.init) await ask(command)
  const storage = await chooseStorage(ask, settings.storage)
  const indications = await setIndications(ask, settings.reportRoute)
  const hasServiceCentre = settings.serviceCentre !== null || (await readServiceCentre(deps)) !== 'missing'
  return { kind: 'up', ...identity, profile, simMark, storage, indications, hasServiceCentre }
}

/** Only a modem or a SIM that names itself can be another one. */
const isOther = (expected: string | null, named: string | null): boolean =>
  expected !== null && named !== null && expected !== named

/** Switches the radio on where it says that it is off, and waits while that keeps the modem busy. */
async function switchOn({ ask, tools }: BringUpDeps): Promise<void> {
  const read = await ask('AT+CFUN?', { prefix: '+CFUN:' })
  const [level] = valuesOf(valueOf(read, '+CFUN:') ?? '1')
  if (level === '1') return
  await ask('AT+CFUN=1')
  await askWhileBusy(() => ask('AT+CFUN?', { prefix: '+CFUN:' }), tools)
}

/** PDU mode is needed. A modem that has just started refuses it for some seconds. */
async function setPduMode({ ask, tools }: BringUpDeps): Promise<ModemFault | null> {
  await ask('AT+CSCS="GSM"')
  const { kind } = await askWhileRefused(() => ask('AT+CMGF=0'), tools)
  return kind === 'ok' ? null : kind === 'error' ? 'no_pdu_mode' : 'no_answer'
}

/** SIM800: its `SMS Ready` comes 5 to 10 s after power on. */
const refusedMs = 30_000
const askAgainMs = 1_000

async function askWhileRefused(
  asked: () => ReturnType<Ask>,
  { monotonicMs, schedule }: BringUpDeps['tools'],
): ReturnType<Ask> {
  const untilMs = monotonicMs() + refusedMs
  for (;;) {
    const answer = await asked()
    if (answer.kind !== 'error' || monotonicMs() >= untilMs) return answer
    await new Promise<void>((resolve) => void schedule(askAgainMs, resolve))
  }
}
