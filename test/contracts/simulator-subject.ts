import { optOutNumber } from '../../src/connectors/simulator/scenario.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'
import type { MessagePeer } from '../peers/message-peer.ts'
import {
  type ContractSubject,
  type ContractWorld,
  type CreateSubject,
  submissionOf,
} from './contract-subject.ts'

/** A simulator as a subject of the contract; with a peer it posts each message to that process. */
export const createSimulatorSubject =
  (getPeer: () => MessagePeer | null): CreateSubject =>
  async (world) => {
    const peer = getPeer()
    const settings: Record<string, string> = { window: '40', peer_url: peer?.url ?? '' }
    const launch = ({ tools, events }: ContractWorld, given = settings): ContractSubject['link'] =>
      simulatorKind.createLink(
        { id: 'dev_1', name: 'Simulator', settings: given, secrets: {} },
        tools,
        events,
      )
    const link = launch(world)
    const relaunched: (typeof link)[] = []
    const set = async (changed: Record<string, string>): Promise<void> => {
      expectTrue(link.applySettings?.(Object.assign(settings, changed)))
    }
    const logBefore = peer?.records().length ?? 0
    return {
      link,
      startsWithinMs: 0,
      settlesWithinMs: 20_000,
      setOffline: (offline) => set({ offline: String(offline) }),
      hearOut: (heard, moreMs = 0) => heard.clock.advance(receiptsWithinMs + moreMs),
      handsetSends: async () => {
        // Its network forgets a part, and what was answered to it, once the receipt is stored; the answer is stored before that.
        await link.submit(submissionOf({ to: optOutNumber }))
        return { from: optOutNumber, text: 'STOP', isAcknowledged: async () => world.stored.length > 0 }
      },
      answerWith: (answer) =>
        set({
          refuse: answer === 'good' || answer === 'now' || answer === 'busy' ? answer : 'none',
          fail: answer === 'nothing' ? 'unknown' : 'none',
        }),
      delayAnswers: (ms) => set({ submit_delay_ms: String(ms) }),
      peerLog: async () => peer?.records().slice(logBefore) ?? [],
      relaunch: async (later) => {
        const next = launch(later)
        relaunched.push(next)
        return next
      },
      dispose: async () => void (await Promise.all([link, ...relaunched].map((each) => each.stop()))),
    }
  }

/** Within this much time after its submit every receipt has been said once. */
const receiptsWithinMs = 4000

function expectTrue(applied: boolean | undefined): void {
  if (applied !== true) throw new Error('the simulator did not take new settings while it ran')
}
