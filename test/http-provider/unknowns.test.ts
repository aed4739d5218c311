import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import type { PastSubmission } from '../../src/connectors/past-submission.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'
import type { Exchange, Exchanged } from '../../src/connectors/http/exchange.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { messageValues } from '../../src/connectors/http/request/message-values.ts'
import { Unknowns } from '../../src/connectors/http/unknowns.ts'
import { createWorld, submissionOf, turnUntil } from '../contracts/contract-subject.ts'

const startMs = Date.parse('2026-11-27T12:00:00.400Z')
const unknown: Outcome = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no whole answer' }
const answered = (body: unknown, status = 200): Exchanged => ({
  kind: 'answered',
  answer: { status, headers: {}, body: JSON.stringify(body) },
})

interface Given {
  declaration?: Declaration
  /** How long each request takes. */
  takesMs?: number
  resolveMs?: number
  ask?: (round: number) => Exchanged
  repeat?: () => Exchanged
}

/** Words of the list: twilio/twilio-oai spec/json/twilio_api_v2010.json, ListMessage (2026-04-14); times are RFC 2822. */
const item = (given: Record<string, unknown> = {}) => ({
  sid: 'SM1', to: submission.to, body: submission.text, date_created: 'Fri, 27 Nov 2026 12:00:00 +0000', status: 'sent', ...given,
}) // prettier-ignore
const submission = submissionOf({ text: 'Two lines\r\nand a blank ' })

function open({
  declaration = ownDeclaration('twilio')!,
  resolveMs = 90_000,
  ask = () => answered({ messages: [] }),
  repeat = () => answered({}, 500),
  takesMs = 0,
}: Given = {}) {
  const world = createWorld(startMs)
  const taking = (): Promise<void> =>
    takesMs === 0 ? Promise.resolve() : new Promise((resolve) => void world.tools.schedule(takesMs, resolve))
  const counts = { asked: 0, repeated: 0 }
  const exchange: Exchange = {
    declaration,
    valuesOf: (given) => messageValues(given, { nowMs: startMs, urls: { status: null, inbound: null } }),
    buildSubmission: () => 'is not built again',
    async send(_, mayWrite) {
      if (!mayWrite()) return { kind: 'not_sent', reason: 'withdrawn', detail: 'too late' }
      counts.repeated += 1
      await taking()
      return repeat()
    },
    async ask() {
      counts.asked += 1
      await taking()
      return ask(counts.asked)
    },
  }
  const unknowns = new Unknowns({
    tools: world.tools,
    events: world.events,
    exchange,
    resolveMs,
    accepted: () => undefined,
    outcomeOf: (exchanged) =>
      exchanged.kind === 'answered' && exchanged.answer.status === 202
        ? { kind: 'accepted', networkIds: ['msg_1'], receiptExpected: true }
        : unknown,
  })
  const request = { method: 'POST', url: 'https://api.twilio.com/', headers: {}, body: 'To=1' }
  const settle = (mayRepeat = () => true): Promise<Outcome> =>
    turnUntil(
      world,
      unknowns.settle(
        { submission, request, beganAt: startMs, endedAt: startMs + 10_000, tookMs: 10_000 },
        unknown,
        mayRepeat,
      ),
      100_000,
    )
  return { world, counts, unknowns, settle }
}

test('the one message there with number, text and time is the one that was sent', async () => {
  const { settle, counts } = open({
    ask: (round) => answered({ messages: round < 3 ? [] : [item({ body: 'Two lines\nand a blank' })] }),
  })
  expect(await settle()).toEqual({ kind: 'accepted', networkIds: ['SM1'], receiptExpected: true })
  expect(counts).toEqual({ asked: 3, repeated: 0 })
})

const others: readonly [name: string, messages: object[]][] = [
  ['two that fit', [item(), item({ sid: 'SM2' })]],
  ['one with another text', [item({ body: 'Two lines' })]],
  ['one to another number', [item({ to: '+4915100000000' })]],
  ['one from before', [item({ date_created: 'Fri, 27 Nov 2026 11:59:54 +0000' })]],
  ['one from after', [item({ date_created: 'Fri, 27 Nov 2026 12:00:11 +0000' })]],
  ['one without a time', [item({ date_created: null })]],
  ['one of another message', [item({ sid: 'SM-known' })]],
  ['none', []],
]
test.for(others)('of %s nothing is known, and nothing is sent again', async ([, messages]) => {
  const { settle, counts, unknowns } = open({ ask: () => answered({ messages }) })
  unknowns.took(['SM-known'])
  expect(await settle()).toEqual(unknown)
  expect(counts).toEqual({ asked: 4, repeated: 0 })
})

test('a provider that answers the look-up by an error, a page or nothing shows nothing', async () => {
  const errors: Exchanged[] = [
    answered({ messages: [item()] }, 500),
    { kind: 'answered', answer: { status: 200, headers: {}, body: '<html>' } },
    { kind: 'unanswered', detail: 'cut' },
    { kind: 'not_sent', reason: 'unreachable', detail: 'down' },
  ]
  for (const error of errors) expect(await open({ ask: () => error }).settle()).toEqual(unknown)
})

test('not found is a refusal only where the provider says after how long, and not before', async () => {
  const declaration = {
    ...ownDeclaration('twilio')!,
    lookup: { ...ownDeclaration('twilio')!.lookup!, absence: { proves_after_s: 30 } },
  }
  const { settle, counts } = open({ declaration })
  expect(await settle()).toMatchObject({ kind: 'refused', lasts: 'now' })
  expect(counts.asked).toBe(3)
  // Asked 3 and 28 s after the end, each for 25 s: what counts is when it was asked.
  const slow = open({ declaration, takesMs: 25_000 })
  expect(await slow.settle()).toMatchObject({ kind: 'refused', lasts: 'now' })
  expect(slow.counts.asked).toBe(3)
})

test('one that is dated a little after the request is not it, and proves no absence', async () => {
  const twilio = ownDeclaration('twilio')!
  const declaration = { ...twilio, lookup: { ...twilio.lookup, absence: { proves_after_s: 1 } } }
  const ask = (seconds: number) => () =>
    answered({ messages: [item({ date_created: `Fri, 27 Nov 2026 12:00:${seconds} +0000` })] })
  expect(await open({ declaration, ask: ask(15) }).settle()).toEqual(unknown)
  expect(await open({ declaration, ask: ask(16) }).settle()).toMatchObject({ kind: 'refused', lasts: 'now' })
})

test('the time of a key counts from the first request, that of an absence from the last one', async () => {
  const declaration = (forSeconds: number, provesAfterSeconds: number): Declaration => ({
    ...ownDeclaration('onesixty')!,
    idempotency: { header: 'Idempotency-Key', for_s: forSeconds },
    lookup: { ...ownDeclaration('onesixty')!.lookup, absence: { proves_after_s: provesAfterSeconds } },
  })
  const ask = (): Exchanged => answered({ data: [] })
  const repeat = (): Exchanged => ({ kind: 'unanswered', detail: 'cut' })
  // The exchange took 10 s: at 3 s the key is 13 s old, at 10 s 20 s, and a repeat must arrive within 24 s.
  const keyed = open({ declaration: declaration(24, 3_600), ask, repeat })
  expect([await keyed.settle(), keyed.counts.repeated]).toEqual([unknown, 1])
  // Repeats end 11, 27 and 43 s after the first request: what is absent right after them may still arrive.
  const repeated = open({ declaration: declaration(50, 15), ask, repeat, takesMs: 8_000 })
  expect(await repeated.settle()).toMatchObject({ kind: 'refused', lasts: 'now' })
  expect(repeated.counts).toEqual({ asked: 4, repeated: 3 })
})

test('a message that a repeat has submitted is found by its time, and is not absent', async () => {
  const twilio = ownDeclaration('twilio')!
  const declaration: Declaration = {
    ...twilio,
    idempotency: { header: 'Idempotency-Key', for_s: 60 },
    lookup: { ...twilio.lookup, absence: { proves_after_s: 1 } },
  }
  const repeat = (): Exchanged => ({ kind: 'unanswered', detail: 'cut' })
  // The repeat is under way from 13 to 21 s.
  const late = answered({ messages: [item({ date_created: 'Fri, 27 Nov 2026 12:00:20 +0000' })] })
  const { settle } = open({ declaration, repeat, takesMs: 8_000, ask: () => late })
  expect(await settle()).toMatchObject({ kind: 'accepted', networkIds: ['SM1'] })
})

test('under a key the same octets go again, five times at most, until they are accepted', async () => {
  const declaration = ownDeclaration('onesixty')!
  let accepts = false
  const { settle, counts } = open({
    declaration,
    ask: () => answered({ data: [] }),
    repeat: () => answered({}, accepts ? 202 : 503),
  })
  expect(await settle()).toEqual(unknown)
  expect(counts.repeated).toBe(4)
  accepts = true
  const other = open({ declaration, repeat: () => answered({}, 202) })
  expect(await other.settle()).toMatchObject({ kind: 'accepted', networkIds: ['msg_1'] })
  expect(other.counts.repeated).toBe(1)
})

test('a message that expired, or whose recipient opted out, is not repeated, and still looked up', async () => {
  const ask = () => answered({ data: [{ id: 'msg_9', status: 'sent' }] })
  const { settle, counts } = open({ declaration: ownDeclaration('onesixty')!, ask })
  expect(await settle(() => false)).toMatchObject({ kind: 'accepted', networkIds: ['msg_9'] })
  expect(counts).toEqual({ asked: 1, repeated: 0 })
})

test('what was not found in time is looked up after 5 and 30 min, 6 and 24 h, and then reported', async () => {
  const { settle, world, counts } = open({
    resolveMs: 0,
    ask: (round) => answered({ messages: round < 3 ? [] : [item()] }),
  })
  expect(await settle()).toEqual(unknown)
  expect(counts.asked).toBe(0)
  await world.clock.advance(30 * 60_000)
  expect(counts.asked).toBe(2)
  expect(world.late).toEqual([])
  await world.clock.advance(6 * 3_600_000)
  expect(world.late).toMatchObject([
    { attemptId: submission.attemptId, outcome: { kind: 'accepted', networkIds: ['SM1'] } },
  ])
  await world.clock.advance(48 * 3_600_000)
  expect([counts.asked, world.clock.waiting]).toEqual([3, 0])
})

const past = (given: Partial<PastSubmission> = {}): PastSubmission => ({
  ...submission,
  startedAt: startMs - 60_000,
  endedAt: startMs,
  ...given,
})

test('what a former link submitted is looked up after a start, five a second, and again at the ages that are left', async () => {
  const { world, unknowns, counts } = open({
    ask: (round) => answered({ messages: round < 7 ? [] : [item()] }),
  })
  const hourAgo = { startedAt: startMs - 3_660_000, endedAt: startMs - 3_600_000 }
  const five = Array.from({ length: 5 }, (_, i) => past({ attemptId: `att_${i}`, ...hourAgo }))
  unknowns.resume([...five, past({ endedAt: startMs + 10_000 })])
  await world.clock.advance(1_000)
  expect(counts.asked).toBe(5)
  await world.clock.advance(10_000)
  expect([counts.asked, world.clock.waiting]).toEqual([6, 6])
  await world.clock.advance(300_000)
  expect(world.late).toMatchObject([
    { attemptId: submission.attemptId, outcome: { kind: 'accepted', networkIds: ['SM1'] } },
  ])
  await world.clock.advance(4 * 3_600_000)
  expect(counts.asked).toBe(7)
  await world.clock.advance(20 * 3_600_000)
  expect([counts.asked, counts.repeated, world.clock.waiting]).toEqual([17, 0, 0])
})

test('a message whose text was erased is not searched for, and one that a stopped link had is not looked up', async () => {
  const { world, unknowns, counts } = open({ ask: () => answered({ messages: [item({ body: '' })] }) })
  unknowns.resume([past({ text: null })])
  await world.clock.advance(1_000)
  expect([counts.asked, world.late]).toEqual([0, []])
  unknowns.resume([past()])
  unknowns.hurry()
  await world.clock.advance(48 * 3_600_000)
  expect([counts.asked, world.clock.waiting]).toEqual([0, 0])
})

test('a link that stops looks once more and ends, whatever is known', async () => {
  const { world, unknowns, counts } = open()
  const request = { method: 'POST', url: 'https://api.twilio.com/', headers: {}, body: null }
  const settling = unknowns.settle(
    { submission, request, beganAt: startMs, endedAt: startMs, tookMs: 0 },
    unknown,
    () => true,
  )
  unknowns.hurry()
  expect(await settling).toEqual(unknown)
  expect([counts.asked, world.clock.waiting]).toEqual([1, 0])
})

test('without a key, no order of answers makes a second request that submits', async () => {
  const answers = fc.constantFrom<Exchanged>(
    answered({ messages: [item()] }),
    answered({ messages: [] }),
    answered({}, 404),
    { kind: 'unanswered', detail: 'cut' },
    { kind: 'not_sent', reason: 'unreachable', detail: 'down' },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 8, maxLength: 8 }), async (rounds) => {
      const { settle, counts, world } = open({ ask: (round) => rounds[round - 1] ?? answered({}) })
      const outcome = await settle()
      await world.clock.advance(48 * 3_600_000)
      expect(counts.repeated).toBe(0)
      const isFound = rounds
        .slice(0, 4)
        .some((each) => each.kind === 'answered' && each.answer.body.includes('SM1'))
      expect(outcome.kind).toBe(isFound ? 'accepted' : 'unknown')
    }),
    { numRuns: 30 },
  )
})
