import { expect, test } from 'vitest'
import { submissionOf } from '../contracts/contract-subject.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { startPooledModem } from '../at-modem/modem-pool.ts'
import { linkTo, type StubLink } from './stub-link.ts'

const [reached, missed] = ['+4915112000001', '+4915112000002'] as const
/** TP-ST of 3GPP TS 23.040, section 9.2.3.15: received by the handset; validity period expired. */
const statusOf = { [reached]: 0x00, [missed]: 0x46 } as const
const messages = sizeOf('MODEM_REPORTS')
/** Of the network: parts that were sent meanwhile wait for theirs, too. */
const reportAfterMs = 40_000
const sentEveryMs = 2_000

test('8.6: many messages to two numbers with a reference that wraps have as many right reports, over a restart in the middle', async () => {
  const rules = [reached, missed].map((to) => ({ to: to.slice(1), statuses: [statusOf[to]], delayMs: reportAfterMs })) // prettier-ignore
  const modem = await startPooledModem('stub', { settings: { submit: { firstReference: 200 }, reports: { rules } } }) // prettier-ignore
  const sent = new Map<string, string>()
  const sendOver = async (opened: StubLink, count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const to = index % 3 === 0 ? missed : reached
      const outcome = await opened.submit(submissionOf({ to }))
      const [networkId] = outcome.kind === 'accepted' ? outcome.networkIds : []
      expect(networkId).toMatch(/^\d+@\d+(?:\.\d+)?$/)
      sent.set(networkId as string, to)
      await opened.pass(sentEveryMs)
    }
  }
  const first = await linkTo(modem)
  await first.isOnline()
  await sendOver(first, Math.ceil(messages / 2))
  const told = first.world.stored
  const waitedFor = [...sent.keys()].filter((id) => !told.some(({ networkId }) => networkId === id))
  expect(waitedFor.length).toBeGreaterThan(10)
  // What the kernel does for a process that was killed: nothing of it runs on.
  await modem.hangUp('rst')
  const second = await linkTo(modem, {}, first.world.clock.now())
  second.link.resume?.(waitedFor.map((networkId) => ({ networkId })))
  await second.isOnline()
  await sendOver(second, Math.floor(messages / 2))
  await second.pass(2 * reportAfterMs)
  const receipts = [...told, ...second.world.stored]
  expect(sent.size).toBe(messages)
  expect(receipts.map(({ networkId }) => networkId).toSorted()).toEqual([...sent.keys()].toSorted())
  for (const { networkId, result, numbers } of receipts) {
    const to = sent.get(networkId) as string
    expect([networkId, result, numbers]).toEqual([networkId, to === reached ? 'delivered' : 'undelivered', [to]])
  }
}, endAfter(60_000)) // prettier-ignore
