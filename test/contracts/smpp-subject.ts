import { expect } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { smppKind } from '../../src/connectors/smpp/smpp.ts'
import { eventually } from '../eventually.ts'
import { reassemble } from '../peers/sms-text/reassemble.ts'
import { mobileOriginated } from '../peers/sms-text/mobile-originated.ts'
import type { SmscControl } from '../peers/smsc-control.ts'
import type { SmscChange, SubmitRule } from '../peers/smsc/smsc-settings.ts'
import {
  type ContractSubject,
  type ContractWorld,
  type CreateSubject,
  isUp,
  turnUntil,
  turnUntilHolds,
} from './contract-subject.ts'

/**
 * A link over SMPP to an SMSC of another process as a subject of the contract. The SMSC keeps receipts and messages back until it is heard
 * out: what a kill or a full store comes before is then no matter of luck.
 */
export const createSmppSubject =
  (getSmsc: () => SmscControl, given: Readonly<Record<string, string>> = {}): CreateSubject =>
  async (world) => {
    const smsc = getSmsc()
    await smsc.renew({ settings: patient })
    const started: { link: Link; world: ContractWorld }[] = []
    const launch = (into: ContractWorld): Link => {
      into.atRest = () => hasAnswered(smsc)
      const settings = { host: smsc.host, port: String(smsc.port), system_id: 'esme', ...times, ...given }
      const link = smppKind.createLink(
        { id: 'dev_1', name: 'Carrier', settings, secrets: { password: 'secret' } },
        into.tools,
        into.events,
      )
      started.push({ link, world: into })
      return link
    }
    const link = launch(world)
    return {
      link,
      startsWithinMs: 10_000,
      settlesWithinMs: 20_000,
      setOffline: async (offline) => {
        // ESME_RSYSERR: an SMSC that is ill, to whom the link comes back by itself.
        await smsc.set({ bind: { status: offline ? 0x08 : 0 } })
        if (offline) await cutAll(smsc)
        await turnUntilHolds(world, () => isUp(link) !== offline, 300_000)
      },
      answerWith: async (answer) => void (await smsc.set({ submit: { rules: rules[answer] } })),
      delayAnswers: async (ms) => void (await smsc.set({ submit: { delayMs: ms } })),
      hearOut: (heard) => hearOut(smsc, heard),
      handsetSends: async () => {
        const from = '491511234567'
        const text = 'Grüße von der Straße'
        const [order] = mobileOriginated({ from, to: '12345', text, method: 'none' })
        let last: unknown = null
        void smsc.deliver(order as NonNullable<typeof order>).then(
          ({ outcome }) => (last = outcome),
          () => undefined,
        )
        return { from: `+${from}`, text, isAcknowledged: async () => last === 0 }
      },
      peerLog: async () => reassemble(smsc.submits()).texts.map(({ to, text }) => ({ to: `+${to}`, text })),
      relaunch: async (later) => {
        // What the kernel does for a process that was killed. The clock of its world stands still: it does not come back.
        await cutAll(smsc)
        await eventually(
          async () => (await smsc.state()).sessions,
          (sessions) => expect(sessions).toEqual([]),
        )
        return launch(later)
      },
      dispose: async () => {
        await smsc.set({ submit: { delayMs: 0 } })
        for (const each of started) await turnUntil(each.world, each.link.stop(), 60_000)
      },
    } satisfies ContractSubject
  }

/** Nothing is handed over until `hearOut`; what is not taken comes again, as often as it must. */
const patient: SmscChange = { deliver: { window: 0, retryAfterMs: 10, attempts: 1_000 } }

/** Short enough for what the suite waits for, and long against what a peer on this machine takes. */
const times = { response_timeout_ms: '8000', enquire_link_ms: '2000', enquire_link_timeout_ms: '5000' }

const rules: Readonly<Record<Parameters<ContractSubject['answerWith']>[0], readonly SubmitRule[]>> = {
  yes: [],
  good: [{ status: 0x0b }],
  now: [{ status: 0x08 }],
  busy: [{ status: 0x58 }],
  nothing: [{ how: 'silence' }],
  some: [{ status: 0, times: 1 }, { status: 0x0b }],
}

/** Settles when every submit that has reached the SMSC is answered, or will never be. Asked twice, it has read what was written before. */
async function hasAnswered(smsc: SmscControl): Promise<void> {
  for (let calm = 0; calm < 2;) calm = (await smsc.state()).waiting === 0 ? calm + 1 : 0
}

async function hearOut(smsc: SmscControl, world: ContractWorld): Promise<void> {
  await smsc.set({ deliver: { window: 50 } })
  const left = async (): Promise<number> =>
    (await smsc.state()).undelivered - (world.canStore ? 0 : turnedAway(smsc, 3))
  await eventually(left, (count) => expect(count).toBe(0), 10_000)
  await smsc.set({ deliver: { window: 0 } })
}

/** How many receipts and messages were turned away so often, and not taken since. */
function turnedAway(smsc: SmscControl, often: number): number {
  const refusals = new Map<number, number>()
  for (const record of smsc.records()) {
    if (record.kind !== 'delivery-answer') continue
    if (record.outcome === 0) refusals.delete(record.delivery)
    else refusals.set(record.delivery, (refusals.get(record.delivery) ?? 0) + 1)
  }
  return [...refusals.values()].filter((count) => count >= often).length
}

async function cutAll(smsc: SmscControl): Promise<void> {
  for (const { session } of (await smsc.state()).sessions) await smsc.cut('rst', session)
}
