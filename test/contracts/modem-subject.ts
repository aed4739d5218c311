import type { Link } from '../../src/connectors/connector.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import type { SubmitRecord } from '../peers/at-modem/modem-log.ts'
import type { SubmitRule } from '../peers/at-modem/modem-settings.ts'
import {
  type ContractSubject,
  type ContractWorld,
  type CreateSubject,
  isUp,
  turnUntil,
  turnUntilHolds,
} from './contract-subject.ts'

/**
 * A link to an emulated modem of another process as a subject of the contract. The clock of the emulator follows that of the world. Reports and
 * messages are kept back until it is heard out.
 */
export const createModemSubject =
  (getModem: () => AtModemControl & { advance(ms: number): Promise<unknown> }): CreateSubject =>
  async (world) => {
    const modem = getModem()
    await modem.set({ submit: { rules: [], answerDelayMs: 0 }, reports: { rules: [late] }, network: { cs: 1, ps: 1 } })
    // What is left of other subjects finds no route, and is dropped.
    await modem.reset('rst')
    await modem.advance(late.delayMs)
    const submitsBefore = modem.taken().length
    const arrivalsBefore = modem.recordsOf('arrival').length
    const started: { link: Link; world: ContractWorld }[] = []
    const launch = (into: ContractWorld): Link => {
      into.atRest = followClock(modem, into)
      into.isRestKnown = true
      const settings = { port: modem.address, pause_ms: '0', send_timeout_ms: '8000' }
      const link = modemKind.createLink({ id: 'dev_1', name: 'Stick', settings, secrets: {} }, into.tools, into.events)
      started.push({ link, world: into })
      return link
    }
    const link = launch(world)
    const toReceive: Parameters<AtModemControl['receive']>[0][] = []
    return {
      link,
      startsWithinMs: 10_000,
      settlesWithinMs: 20_000,
      setOffline: async (offline) => {
        if (isUp(link) !== offline) return
        const state = offline ? 3 : 1
        await modem.set({ network: { cs: state, ps: state } })
        await modem.hangUp('rst')
        await turnUntilHolds(world, () => isUp(link) !== offline, 60_000)
      },
      answerWith: async (answer) => void (await modem.set({ submit: { rules: rules[answer] } })),
      delayAnswers: async (ms) => void (await modem.set({ submit: { answerDelayMs: ms } })),
      hearOut: async (heard) => {
        await modem.advance(late.delayMs)
        for (const sms of toReceive.splice(0)) await modem.receive(sms)
        await hearOut(modem, heard)
      },
      handsetSends: async () => {
        const [from, text] = ['+491511234567', 'Grüße von der Straße']
        toReceive.push({ from, text })
        const isAcknowledged = async (): Promise<boolean> =>
          modem.recordsOf('arrival').slice(arrivalsBefore).some(({ of, what }) => of === 'sms' && what === 'deleted')
        return { from, text, isAcknowledged }
      },
      peerLog: async () => wholeTexts(modem.taken().slice(submitsBefore)),
      relaunch: async (later) => {
        // What the kernel does for a process that was killed. The clock of its world stands still: it does not come back.
        await modem.hangUp('rst')
        return launch(later)
      },
      dispose: async () => {
        await modem.set({ submit: { rules: [], answerDelayMs: 0 } })
        for (const each of started) await turnUntil(each.world, each.link.stop(), 60_000)
      },
    } satisfies ContractSubject
  } // prettier-ignore

/** Later than anything that a test waits for before it hears the modem out. */
const late = { statuses: [0], delayMs: 600_000 }

const refusal = (code: number): SubmitRule => ({ isTaken: false, answer: [`+CMS ERROR: ${code}`] })
const rules: Readonly<Record<Parameters<ContractSubject['answerWith']>[0], readonly SubmitRule[]>> = {
  yes: [],
  // 3GPP TS 24.011, annex E-2: unassigned number, network out of order, congestion.
  good: [refusal(1)],
  now: [refusal(38)],
  busy: [refusal(42)],
  nothing: [{ isTaken: true, answer: 'silence' }],
  some: [{ isTaken: true, answer: 'ok', times: 1 }, refusal(1)],
}

/** Returns what settles when neither side has anything more to say at this instant, which is then the same for both. */
export function followClock(
  modem: Pick<AtModemControl, 'state'> & { advance(ms: number): Promise<unknown> },
  world: ContractWorld,
) {
  let followedMs = world.clock.monotonicMs()
  return async (): Promise<void> => {
    const nowMs = world.clock.monotonicMs()
    await modem.advance(nowMs - followedMs)
    followedMs = nowMs
    let octets = -1
    for (let calm = 0; calm < 3;) {
      const { octets: seen } = await modem.state()
      calm = seen === octets ? calm + 1 : 0
      octets = seen
    }
  }
}

/** Until the modem has nothing left, or has been turned away three times. */
async function hearOut(modem: AtModemControl, world: ContractWorld): Promise<void> {
  const before = world.said.length + world.inboundSaid
  for (let seconds = 0; seconds < 900; seconds++) {
    await world.atRest()
    const { waiting, used } = await modem.state()
    if (waiting + used.SM + used.ME + used.SR === 0) return
    if (!world.canStore && world.said.length + world.inboundSaid - before >= 3) return
    await world.clock.advance(1_000)
  }
  throw new Error('The modem was not heard out within 15 min.')
}

/** The texts that the SMSC has whole, in the order of their last parts. */
function wholeTexts(taken: readonly SubmitRecord[]): { to: string; text: string }[] {
  const open = new Map<string, Map<number, string>>()
  return taken.flatMap(({ to = '', part, ...read }) => {
    const text = read.text ?? ''
    if (part === null || part === undefined) return [{ to, text }]
    const key = `${to} ${part.reference} ${part.total}`
    const parts = (open.get(key) ?? new Map<number, string>()).set(part.part, text)
    open.set(key, parts)
    if (parts.size < part.total) return []
    open.delete(key)
    return [{ to, text: [...parts].toSorted(([a], [b]) => a - b).map(([, piece]) => piece).join('') }] // prettier-ignore
  })
}
