import { expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/runtime/clock.ts'
import type { Exchange, Exchanged } from '../../src/connectors/http/exchange.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { pausesBesideCalls, pollPauses, ReceiptPolls } from '../../src/connectors/http/receipt-polls.ts'
import { createWorld } from '../contracts/contract-subject.ts'

/** Words of the answers: twilio/twilio-oai spec/json/twilio_api_v2010.json, FetchMessage (2026-04-14). */
const state = (status: string, code: number | null = null): Exchanged => ({
  kind: 'answered',
  answer: { status: 200, headers: {}, body: JSON.stringify({ sid: 'SM1', status, error_code: code }) },
})

function open(
  answer: (round: number, id: string) => Exchanged,
  isOnlyWay = true,
  resumeAgain?: () => Promise<void>,
) {
  const world = createWorld()
  if (resumeAgain !== undefined) world.tools.resumeAgain = resumeAgain
  const asked: { id: string; atMs: number }[] = []
  const startMs = world.clock.monotonicMs()
  const exchange: Exchange = {
    declaration: ownDeclaration('twilio')!,
    valuesOf: () => ({}),
    buildSubmission: () => 'none',
    send: () => Promise.reject(new Error('a look-up submits nothing')),
    async ask(_, { id }) {
      asked.push({ id: String(id), atMs: world.clock.monotonicMs() - startMs })
      return answer(asked.filter((each) => each.id === id).length, String(id))
    },
  }
  const pauses = isOnlyWay ? pollPauses : pausesBesideCalls
  const polls = new ReceiptPolls({ tools: world.tools, events: world.events, exchange, pauses, isOnlyWay })
  return { world, asked, polls }
}

test('without calls a message is looked up at growing pauses until its state is final, and then no more', async () => {
  const { world, asked, polls } = open((round) => (round < 4 ? state('sent') : state('undelivered', 30_003)))
  polls.expect(['SM1'])
  await world.clock.advance(72 * hourMs)
  expect(asked.map(({ atMs }) => atMs)).toEqual([10_000, 40_000, 100_000, 220_000])
  expect(world.stored).toEqual([
    { networkId: 'SM1', covers: 'all', result: 'undelivered', code: 'unreachable', networkCode: '30003' },
  ])
  expect(world.clock.waiting).toBe(0)
})

test('a message whose state never ends is looked up each hour, for 72 h', async () => {
  const { world, asked, polls } = open(() => state('sent'))
  polls.expect(['SM1'])
  await world.clock.advance(100 * hourMs)
  expect(asked.length).toBeGreaterThan(70)
  expect(asked.length).toBeLessThan(80)
  expect(asked.at(-1)!.atMs).toBeLessThanOrEqual(72 * hourMs)
  expect(world.clock.waiting).toBe(0)
})

test('next to calls a message is looked up once after 15 min, and not at all once it was told', async () => {
  const { world, asked, polls } = open(() => state('delivered'), false)
  polls.expect(['SM1', 'SM2'])
  polls.told('SM2')
  await world.clock.advance(hourMs)
  expect(asked).toEqual([{ id: 'SM1', atMs: 15 * minuteMs }])
  expect(world.stored).toMatchObject([{ networkId: 'SM1', result: 'delivered' }])
})

test('a receipt that could not be stored, an error and a state that nobody knows are looked up again', async () => {
  const answers: Exchanged[] = [
    { kind: 'unanswered', detail: 'cut' },
    { kind: 'answered', answer: { status: 404, headers: {}, body: '{}' } },
    state('teleported'),
    state('delivered'),
    state('delivered'),
  ]
  const { world, asked, polls } = open((round) => answers[round - 1] ?? state('delivered'))
  world.canStore = false
  polls.expect(['SM1'])
  await world.clock.advance(5 * minuteMs)
  expect([asked.length, world.said.length]).toEqual([4, 1])
  world.canStore = true
  await world.clock.advance(hourMs)
  expect(world.stored).toHaveLength(1)
})

test('a stop ends all look-ups', async () => {
  const { world, asked, polls } = open(() => state('sent'))
  polls.expect(['SM1'])
  polls.stop()
  await world.clock.advance(hourMs)
  expect([asked, world.clock.waiting]).toEqual([[], 0])
})

test('messages beyond those in memory are read from the database again when others have ended, and each is looked up', async () => {
  const ids = Array.from({ length: 12_000 }, (_, i) => `SM${i}`)
  const final = new Set<string>()
  let reads = 0
  const { world, asked, polls } = open(
    (_, id) => (final.add(id), state('delivered')),
    true,
    async () => {
      reads += 1
      if (reads === 1) throw new Error('The database is busy.')
      polls.expect(ids.filter((id) => !final.has(id)))
    },
  )
  polls.expect(ids)
  await world.clock.advance(hourMs)
  expect([final.size, asked.length, world.stored.length, reads]).toEqual([12_000, 12_000, 12_000, 2])
  expect(world.clock.waiting).toBe(0)
})
