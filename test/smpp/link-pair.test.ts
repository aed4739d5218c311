import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmppSubject } from '../contracts/smpp-subject.ts'
import { submissionOf, networkIdsOf, type Opened, openSubject, turnUntil, turnUntilHolds } from '../contracts/contract-subject.ts' // prettier-ignore
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'

/** A pair of binds: one connection to send, one to receive. */

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

const open = (): Promise<Opened> => openSubject(createSmppSubject(() => smsc, { bind: 'pair' }))

/** The number of each session by its bind. */
async function sessionsByBind(): Promise<Record<string, number>> {
  const { sessions } = await smsc.state()
  return Object.fromEntries(sessions.map(({ bindType, session }) => [bindType, session]))
}

const sessionsOf = (kind: 'submit' | 'delivery'): number[] => [
  ...new Set(smsc.records().flatMap((record) => (record.kind === kind ? [record.session] : []))),
]

test('a pair submits over its transmitter alone, and receives over its receiver alone', async () => {
  const { world, subject } = await open()
  const { transmitter, receiver, ...others } = await sessionsByBind()
  expect([typeof transmitter, typeof receiver, others]).toEqual(['number', 'number', {}])
  // More than the window of one session, so that another one would be welcome.
  const submits = Promise.all(Array.from({ length: 30 }, () => subject.link.submit(submissionOf())))
  const outcomes = await turnUntil(world, submits, subject.settlesWithinMs)
  const sms = await subject.handsetSends()
  await subject.hearOut(world)
  expect(sessionsOf('submit')).toEqual([transmitter])
  expect(sessionsOf('delivery')).toEqual([receiver])
  const given = outcomes.flatMap((outcome) => networkIdsOf(outcome))
  expect(world.stored.map(({ networkId }) => networkId).toSorted()).toEqual(given.toSorted())
  expect(world.inbound).toMatchObject([{ from: sms.from, text: sms.text }])
  expect(given).toHaveLength(30)
})

test('without its transmitter a pair submits nothing, and still takes its receipts', async () => {
  const { world, subject, submit } = await open()
  const [networkId] = networkIdsOf(await submit())
  await smsc.set({ bind: { status: 0x08 } })
  await smsc.cut('rst', (await sessionsByBind())['transmitter'])
  await turnUntilHolds(world, () => subject.link.health().status === 'offline', 10_000)
  expect((await submit()).kind).toBe('unavailable')
  await subject.hearOut(world)
  expect(world.stored.map((receipt) => receipt.networkId)).toEqual([networkId])
})

test('without its receiver a pair submits, and says that something is wrong', async () => {
  const { world, subject, submit } = await open()
  await smsc.set({ bind: { status: 0x08 } })
  await smsc.cut('rst', (await sessionsByBind())['receiver'])
  await turnUntilHolds(world, () => subject.link.health().status === 'degraded', 10_000)
  const [networkId] = networkIdsOf(await submit())
  await smsc.set({ bind: { status: 0 } })
  await turnUntilHolds(world, () => subject.link.health().status === 'online', 60_000)
  await subject.hearOut(world)
  expect(world.stored.map((receipt) => receipt.networkId)).toEqual([networkId])
})
