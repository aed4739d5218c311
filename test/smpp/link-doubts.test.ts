import { expect, test } from 'vitest'
import { commandStatus, type Pdu } from '../../src/smpp/codec/pdu.ts'
import { submissionOf, longHandOver, turnUntil } from '../contracts/contract-subject.ts'
import { roundTrip, silentTo } from './session-fixture.ts'
import { openStubLink } from './stub-link.ts'

/** What a link knows of its messages when answers come late, not at all, or with a word about the session. */

const answerTo = (sequence: number, messageId: string, status = 0): Pdu => ({
  command: 'submit_sm_resp',
  status,
  sequence,
  body: status === 0 ? { messageId, tlvs: [] } : null,
})
const long = 'Your parcel costs 3 euro today. '.repeat(8)

test('an answer that comes too late for its part, and before the end of its message, counts', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { window: '1', response_timeout_ms: '2000' },
  })
  const submitted = link.submit(submissionOf({ text: long, parts: 2 }))
  const { sequence: first } = await smsc.seen('submit_sm')
  await world.clock.advance(2_000)
  const { sequence: second } = await smsc.seen('submit_sm', 2)
  smsc.send(answerTo(first, 'a'))
  await roundTrip(smsc)
  smsc.send(answerTo(second, 'b'))
  expect(await submitted).toEqual({ kind: 'accepted', networkIds: ['a', 'b'], receiptExpected: true })
  expect(world.late).toEqual([])
})

test('an answer that comes after the end of its message is told, once', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { response_timeout_ms: '2000' },
  })
  const submission = submissionOf({ text: long, parts: 2 })
  const submitted = link.submit(submission)
  const { sequence } = await smsc.seen('submit_sm', 2)
  smsc.send(answerTo(sequence, 'b'))
  await roundTrip(smsc)
  await world.clock.advance(2_000)
  expect(await submitted).toMatchObject({ kind: 'unknown', networkIds: ['b'], unknownParts: { parts: [0] } })
  smsc.send(answerTo(sequence - 1, 'a'), answerTo(sequence - 1, 'a'))
  await roundTrip(smsc)
  expect(world.late).toEqual([
    {
      attemptId: submission.attemptId,
      outcome: { kind: 'accepted', networkIds: ['a', 'b'], receiptExpected: true },
    },
  ])
})

test('a word that the session is not bound leaves the other submits their answers, and makes the session anew', async () => {
  const { link, smsc } = await openStubLink({ answering: silentTo('submit_sm'), settings: { window: '10' } })
  const submits = [1, 2, 3].map(() => link.submit(submissionOf()))
  const { sequence } = await smsc.seen('submit_sm', 3)
  smsc.send(answerTo(sequence - 2, '', commandStatus.ESME_RINVBNDSTS))
  await roundTrip(smsc)
  expect(link.window).toBe(2)
  smsc.send(answerTo(sequence - 1, 'a'), answerTo(sequence, 'b'))
  expect((await Promise.all(submits)).map(({ kind }) => kind)).toEqual([
    'unavailable',
    'accepted',
    'accepted',
  ])
  await smsc.seen('unbind')
  await smsc.closed()
})

test('the rest of a long message whose first part is out follows it while its link stops', async () => {
  let submits = 0
  const { link, smsc } = await openStubLink({
    // The first one is answered by hand.
    answering: ({ command, sequence }) =>
      command === 'submit_sm' ? (++submits === 1 ? [] : [answerTo(sequence, 'b')]) : null,
    settings: { window: '1' },
  })
  const submitted = link.submit(submissionOf({ text: long, parts: 2 }))
  const { sequence } = await smsc.seen('submit_sm')
  const stopped = link.stop()
  await roundTrip(smsc)
  smsc.send(answerTo(sequence, 'a'))
  expect(await submitted).toEqual({ kind: 'accepted', networkIds: ['a', 'b'], receiptExpected: true })
  await stopped
})

test('a link that is made anew waits for its answers as long as they may take', async () => {
  const { link, smsc, world } = await openStubLink({ answering: silentTo('submit_sm') })
  const submitted = link.submit(submissionOf())
  const { sequence } = await smsc.seen('submit_sm')
  const stopped = link.stop()
  for (let second = 0; second < 25; second++) {
    await world.clock.advance(1_000)
    await roundTrip(smsc)
  }
  smsc.send(answerTo(sequence, 'a'))
  expect(await submitted).toMatchObject({ kind: 'accepted' })
  await stopped
})

/** One until a link looks whether it has its lease, and ten that a session has for its answers. */
const forgetsAfterS = 12

/** Lets so many seconds pass, or fewer when the link has left before. */
async function unbindsWithin(
  seconds: number,
  { smsc, world }: Pick<Awaited<ReturnType<typeof openStubLink>>, 'smsc' | 'world'>,
): Promise<boolean> {
  const isUnbound = (): boolean => smsc.received.some(({ command }) => command === 'unbind')
  for (let second = 0; second < seconds && !isUnbound(); second++) {
    await world.clock.advance(1_000)
    if (!isUnbound()) await roundTrip(smsc)
  }
  return isUnbound()
}

test('a link that has lost its lease waits no longer than it did: another server may bind', async () => {
  const { link, smsc, world } = await openStubLink({ answering: silentTo('submit_sm') })
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  Object.assign(world.tools, { mayWrite: () => false })
  const stopped = link.stop()
  expect(await unbindsWithin(forgetsAfterS, { smsc, world })).toBe(true)
  expect(await submitted).toMatchObject({ kind: 'unknown' })
  await stopped
})

test('a link that loses its lease while it waits for answers waits no longer', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { response_timeout_ms: '60000' },
  })
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  const stopped = link.stop()
  expect(await unbindsWithin(10, { smsc, world })).toBe(false)
  Object.assign(world.tools, { mayWrite: () => false })
  expect(await unbindsWithin(forgetsAfterS, { smsc, world })).toBe(true)
  await stopped
  expect(await submitted).toMatchObject({ kind: 'unknown' })
})

test('parts that go again count against the contracted rate', async () => {
  let submits = 0
  const { link, world } = await openStubLink({
    answering: (pdu) => {
      if (pdu.command !== 'submit_sm') return null
      submits += 1
      // The second part is refused for now, once.
      return [answerTo(pdu.sequence, `m${submits}`, submits === 2 ? commandStatus.ESME_RSYSERR : 0)]
    },
    settings: { window: '10', max_per_second: '1' },
  })
  const submitted = link.submit(submissionOf({ text: long, parts: 2 }))
  expect(await turnUntil(world, submitted, 10_000)).toMatchObject({ kind: 'accepted' })
  expect(submits).toBe(3)
  // Three parts are three seconds of the rate.
  const spentMs = world.clock.monotonicMs()
  expect(link.window).toBe(0)
  await world.clock.advance(Math.max(0, 2_400 - spentMs))
  expect(link.window).toBe(0)
  await world.clock.advance(1_200)
  expect(link.window).toBe(1)
})

test('a session in doubt is asked at once whether it lives, and carries on when it says so', async () => {
  let silent = true
  const { link, smsc, world } = await openStubLink({
    answering: (pdu) => (pdu.command === 'submit_sm' && silent ? [] : null),
    settings: { response_timeout_ms: '2000', enquire_link_ms: '600000' },
  })
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  silent = false
  await world.clock.advance(2_000)
  expect((await submitted).kind).toBe('unknown')
  expect(link.window).toBe(0)
  await smsc.seen('enquire_link')
  await roundTrip(smsc)
  expect(link.window).toBe(10)
  expect((await link.submit(submissionOf())).kind).toBe('accepted')
})

test('a session in doubt that says nothing is made anew', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm', 'enquire_link'),
    settings: { response_timeout_ms: '2000', enquire_link_ms: '600000', enquire_link_timeout_ms: '1000' },
  })
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  await world.clock.advance(2_000)
  await submitted
  await smsc.seen('enquire_link')
  await world.clock.advance(1_000)
  await smsc.closed()
  expect(link.health().status).toBe('offline')
})

test('what waits for room on a session in doubt never leaves it, and may go elsewhere when that is over', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm', 'enquire_link'),
    settings: { window: '10', response_timeout_ms: '2000', enquire_link_timeout_ms: '1000' },
  })
  const short = Array.from({ length: 7 }, () => link.submit(submissionOf()))
  await smsc.seen('submit_sm', 7)
  await world.clock.advance(1_000)
  const joined = Array.from({ length: 3 }, () => link.submit(longHandOver(3)))
  await smsc.seen('submit_sm', 10)
  await world.clock.advance(1_000)
  await smsc.seen('enquire_link')
  await world.clock.advance(1_000)
  const kinds = async (outcomes: typeof short) => (await Promise.all(outcomes)).map(({ kind }) => kind)
  expect(new Set(await kinds(short))).toEqual(new Set(['unknown']))
  expect(await kinds(joined)).toEqual(['unknown', 'unavailable', 'unavailable'])
  expect(smsc.received.filter(({ command }) => command === 'submit_sm')).toHaveLength(10)
})

test('a link that is bound to receive alone says so, and offers no room', async () => {
  const { link } = await openStubLink({ settings: { bind: 'receiver' }, isSending: false })
  expect(link.health()).toMatchObject({
    status: 'offline',
    reasons: ['receives_only'],
    link: 'session',
    lastError: null,
  })
  expect(link.window).toBe(0)
})

test.for([
  ['nobody could keep', 'a'.repeat(60_000)],
  ['is blank', '  '],
])('an answer with an id that %s is a yes without an id', async ([, messageId]) => {
  const { link } = await openStubLink({
    // Our own codec writes none so long.
    answering: ({ command, sequence }) =>
      command === 'submit_sm'
        ? [{ command: 'unknown', commandId: 0x8000_0004, status: 0, sequence, body: Buffer.from(`${messageId}\0`) }]
        : null, // prettier-ignore
  })
  expect(await link.submit(submissionOf())).toEqual({
    kind: 'accepted',
    networkIds: [],
    receiptExpected: false,
  })
})

test('a narrow link lets one more window be made ready, a wide one or one with a rate nothing', async () => {
  const aheadWith = async (settings: Record<string, string>) => (await openStubLink({ settings })).link.ahead
  expect(await aheadWith({ window: '10' })).toBe(10)
  expect(await aheadWith({ window: '51' })).toBe(0)
  expect(await aheadWith({ window: '10', max_per_second: '100' })).toBe(0)
})

test('room that comes back because the SMSC is heard again is told to whoever found none', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm', 'enquire_link'),
    settings: { response_timeout_ms: '2000', enquire_link_timeout_ms: '10000' },
  })
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  await world.clock.advance(2_000)
  expect(await submitted).toMatchObject({ kind: 'unknown' })
  const { sequence } = await smsc.seen('enquire_link')
  expect(link.window).toBe(0)
  const before = world.statuses.length
  smsc.send({ command: 'enquire_link_resp', status: 0, sequence, body: null })
  await roundTrip(smsc)
  await world.clock.advance(10)
  expect(world.statuses.length).toBe(before + 1)
  expect(link.window).toBe(10)
  await world.clock.advance(1_000)
  expect(world.statuses.length).toBe(before + 1)
})
