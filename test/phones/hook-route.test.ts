import { expect, test } from 'vitest'
import type { Inbound } from '../../src/connectors/connector.ts'
import { openRoutesHouse } from './routes-house.ts'
import { registrationOf } from './phone-fixture.ts'
import { received, sim } from './said-by-app.ts'

test('check 22: a webhook is taken with the right signature only, and not when it is old', async () => {
  const { hook, store, clock } = await openRoutesHouse()
  expect(await hook('sms:received', received)).toMatchObject({ status: 204, text: '' })
  expect(store.inbound).toEqual([
    {
      from: '+4915550007777',
      to: '+4915550001234',
      text: 'STOP',
      networkAt: Date.parse('2026-11-21T09:29:58.000Z'),
      inReplyTo: null,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      toldOtherwise: { keeps: [expect.any(String)], looksFor: expect.any(Array) },
    },
  ])
  const bad: Parameters<typeof hook>[2][] = [
    { key: 'another key' },
    { secret: 'another-secret' },
    { headers: { 'x-signature': '' } },
    { headers: { 'x-signature': 'a'.repeat(64) } },
    { headers: { 'x-timestamp': '1' } },
    { headers: { 'x-timestamp': 'now' } },
    { atMs: clock.now() - 11 * 60_000 },
    { atMs: clock.now() + 11 * 60_000 },
  ]
  for (const [i, options] of bad.entries())
    expect(await hook('sms:received', received, options), String(i)).toMatchObject({ status: 401 })
  expect(store.inbound).toHaveLength(1)
})

test.for([
  ['+4915550007777', undefined],
  ['004915550007777', undefined],
  ['3125550144', 'bare'],
  ['0151 55500077', 'bare'],
  ['ACME', undefined],
] as const)('the sender %s of a phone is told as %s: digits alone are of the country of its network', async ([sender, fromIs]) => {
  const { hook, store } = await openRoutesHouse()
  await hook('sms:received', { ...received, sender })
  expect(store.inbound).toMatchObject([{ from: sender }])
  expect(store.inbound[0]?.fromIs).toBe(fromIs)
}) // prettier-ignore

/** The app says its number of a SIM that knows it, and of others null (`ReceiverService`, app 1.68). */
const slots = (...numbers: (string | null)[]) =>
  numbers.map((phoneNumber, i) => ({ ...sim, slotIndex: i, simNumber: i + 1, phoneNumber }))

test.for([
  ['the number that was set for its SIM', { set: [null, '+4915100000002'], simNumber: 2 }, '+4915100000002'],
  ['the same before what the phone says', { set: ['+4915100000001'], recipient: '+4915100000009' }, '+4915100000001'],
  ['the number that the phone says, in full', { country: 'DE', recipient: '015100000009' }, '+4915100000009'],
  ['what the phone told of that SIM at its start', { told: [null, '+4915100000002'], simNumber: 2 }, '+4915100000002'],
  ['that of its only SIM, where it does not say which', { told: ['+4915100000001'], simNumber: null }, '+4915100000001'],
  ['that which was set for its only SIM', { set: ['+4915100000001'], simNumber: null }, '+4915100000001'],
  ['nobody knows which of two', { set: ['+4915100000001'], told: [null, null], simNumber: null }, null],
  ['nobody knows what is masked', {}, null],
  ['nobody knows of another SIM', { set: ['+4915100000001'], simNumber: 2 }, null],
] as const)('what a phone received was for %s', async ([, given, to]) => {
  const { set, told, country = null, recipient = null, simNumber = 1 } = { set: [], told: null, ...given } as { set: string[]; told: string[] | null; country?: string; recipient?: string; simNumber?: number | null }
  const { hook, store } = await openRoutesHouse()
  store.registration = registrationOf({ simNumbers: set, country })
  if (told !== null) {
    store.registration = registrationOf({ simNumbers: set, country, sims: null })
    await hook('app:started', { simCards: slots(...told) })
  }
  await hook('sms:received', { ...received, recipient, simNumber })
  expect(store.inbound.map((inbound) => inbound.to)).toEqual([to])
}) // prettier-ignore

test('check 23: a repeated webhook has one fingerprint, a genuine repeat of another second has its own', async () => {
  const { hook, store } = await openRoutesHouse()
  await hook('sms:received', received, { id: 'one' })
  await hook('sms:received', received, { id: 'two' })
  await hook('sms:received', { ...received, receivedAt: '2026-11-21T12:29:59.000+03:00' })
  await hook('sms:received', { ...received, simNumber: 2 })
  const [first, again, later, otherSim] = store.inbound.map(({ fingerprint }) => fingerprint)
  expect(again).toBe(first)
  expect(new Set([first, later, otherSim]).size).toBe(3)
})

test('check 23: the same second told by another zone or with other fractions is the same message; without a time that is a guess', async () => {
  const { hook, store } = await openRoutesHouse()
  for (const receivedAt of [received.receivedAt, '2026-11-21T09:29:58.417Z', '2026-11-21T05:29:58.000-04:00'])
    await hook('sms:received', { ...received, receivedAt })
  for (const receivedAt of ['no date', 'no other date'])
    await hook('sms:received', { ...received, receivedAt }, { id: '' })
  const [first, inUtc, inTheWest, ...undated] = store.inbound.map(({ fingerprint }) => fingerprint)
  expect([inUtc, inTheWest]).toEqual([first, first])
  expect(new Set([first, ...undated]).size).toBe(3)
  expect(store.inbound.map(({ fingerprintGuessed = false }) => fingerprintGuessed)).toEqual([false, false, false, true, true]) // prettier-ignore
})

const in1970 = '1970-01-01T00:00:00.000Z'

test.for([in1970, null, 'no date'])(
  'without a date (%j) the id of the telling, which its repeats keep, tells one SMS from the next of the same words',
  async (receivedAt) => {
    const { hook, store, clock } = await openRoutesHouse()
    const tell = (id: string) => hook('sms:received', { ...received, receivedAt }, { id })
    await tell('one')
    await tell('two')
    await clock.advance(3_600_000)
    await tell('one')
    const [first, next, repeated] = store.inbound
    expect(repeated?.fingerprint).toBe(first?.fingerprint)
    expect(next?.fingerprint).not.toBe(first?.fingerprint)
    expect(finds(next!, first!), 'as one that was told otherwise').toBe(false)
    expect(next?.fingerprintGuessed).toBeUndefined()
  },
)

/** Whether one telling is taken for the other one of the same SMS; a name that ends in a slash is a beginning. */
const finds = (one: Inbound, another: Inbound): boolean => {
  const names = [another.fingerprint, ...(another.toldOtherwise?.keeps ?? [])]
  const isFound = (name: string) =>
    names.some((each) => each === name || (name.endsWith('/') && each.startsWith(name)))
  return one.toldOtherwise!.looksFor.some(isFound)
}

test.for([
  ['without its SIM', { simNumber: undefined }, true],
  ['with 1970 for its date', { receivedAt: '1970-01-01T00:00:00.000Z' }, true],
  ['with neither', { simNumber: null, receivedAt: '1970-01-01T00:00:00.000Z' }, true],
  ['from another SIM', { simNumber: 2 }, false],
  ['of another second', { receivedAt: '2026-11-21T12:29:59.000+03:00' }, false],
  ['of other words', { message: 'STOP!', simNumber: undefined }, false],
] as const)('what is told %s looks for the telling that says more, and that for it: %s', async ([, less, isSame]) => {
  const { hook, store } = await openRoutesHouse()
  await hook('sms:received', received, { id: 'one' })
  await hook('sms:received', { ...received, ...less }, { id: 'two' })
  const [full, other] = store.inbound
  expect([finds(full!, other!), finds(other!, full!)]).toEqual([isSame, isSame])
}) // prettier-ignore

test('a received message keeps the time of the network, and has none where the phone tells of no possible one', async () => {
  const { hook, store, clock } = await openRoutesHouse()
  for (const receivedAt of [
    '2026-11-19T12:29:58.000+03:00',
    '2026-11-21T23:00:00.000Z',
    '1970-01-01T03:00:00.000+03:00',
    null,
  ])
    // prettier-ignore
    await hook('sms:received', { ...received, receivedAt })
  const twoDaysAgo = Date.parse('2026-11-19T09:29:58.000Z')
  expect(store.inbound.map(({ networkAt }) => networkAt)).toEqual([twoDaysAgo, clock.now(), null, null])
})

test('a ping, a start and the SIM of a sent message are taken from the webhooks', async () => {
  const { hook, store, phone } = await openRoutesHouse()
  const check = (observedValue: number, status = 'pass') => ({
    status,
    observedValue,
    observedUnit: '',
    description: '',
  })
  const checks = {
    'battery:level': check(12),
    'battery:charging': check(0),
    'connection:transport': check(6),
    'connection:cellular': check(4),
    'messages:failed': check(0),
  }
  expect(await hook('system:ping', { health: { version: '1.68.0', checks } })).toMatchObject({ status: 204 })
  const at = phone.health().lastSeenAt
  expect(phone.health()).toMatchObject({
    reasons: ['battery_low'],
    battery: { percent: 12, charging: false, at },
    network: { transport: 'wifi', registered: true, at },
  })
  await hook('app:started', { simCards: [{ ...sim, phoneNumber: '+4915550001234', carrierName: 'Telco' }] })
  expect(phone.health().sims).toEqual([{ slot: 1, number: '+4915550001234', carrier: 'Telco' }])
  await hook('sms:sent', { messageId: 'att_1', recipient: '+49', simNumber: 2, partsCount: 1 })
  await hook('sms:sent', { messageId: 'att_2', recipient: '+49', partsCount: 3 })
  expect(store.sent).toEqual([
    { attemptId: 'att_1', sim: 2, parts: 1 },
    { attemptId: 'att_2', sim: null, parts: 3 },
  ])
  for (const [event, payload] of [
    ['sms:sent', {}],
    ['sms:received', {}],
    ['system:ping', {}],
    ['app:started', { simCards: 'none' }],
    ['mms:received', {}],
  ] as const)
    expect(await hook(event, payload), event).toMatchObject({ status: 204 })
})
