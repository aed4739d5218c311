import { noRules } from '../no-rules.ts'
import { expect, test } from 'vitest'
import { OutcomeStore } from '../../src/dispatch/submissions/outcome-store.ts'
import { createLog, quietMs, sayAgainMs } from '../../src/process/log.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { Damage, sayDamage } from '../../src/storage/seam/damage.ts'
import { StorageError, type StorageFault } from '../../src/storage/seam/dialect.ts'
import { createStubClock } from '../stub-clock.ts'

/** A log, and what was written to it since the last look. */
function openLog() {
  const clock = createStubClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) }, clock)
  return { clock, log, written: () => lines.splice(0).map(({ msg, left_out }) => [msg, left_out]) }
}
const fault = (kind: StorageFault) => new StorageError('so it is', kind, false)

test.for(['damaged', 'damaged_page', 'full'] as const)('what fails again and again because the database is %s is said once, and after ten minutes again', async (kind) => {
  const { clock, log, written } = openLog()
  const say = (): void => {
    log.error({ err: fault(kind), outcomes: 1 }, 'not stored')
    log.error({ err: fault(kind), sweeper: 'expirer' }, 'a sweep failed')
    log.error({ err: fault(kind), sweeper: 'rescuer' }, 'a sweep failed')
  }
  for (let i = 0; i < 100; i++) say()
  const once = [['not stored', undefined], ['a sweep failed', undefined], ['a sweep failed', undefined]]
  expect(written()).toEqual(once)
  for (let i = 0; i < 9; i++) {
    await clock.advance(sayAgainMs / 10)
    say()
  }
  await clock.advance(sayAgainMs / 10 - 1)
  say()
  expect(written()).toEqual([])
  await clock.advance(1)
  say()
  expect(written()).toEqual(once.map(([words]) => [words, 109]))
}) // prettier-ignore

test('a fault that was not met for two minutes is over: how many lines were left out is said then, and when it is back it is said at once', async () => {
  const { clock, log, written } = openLog()
  const over = 'a lasting fault has not occurred for two minutes'
  const say = (sweeper: string): void => log.error({ err: fault('full'), sweeper }, 'a sweep failed')
  for (let i = 0; i < 3; i++) say('expirer')
  say('rescuer')
  await clock.advance(quietMs - 1)
  say('rescuer')
  expect(written()).toEqual([
    ['a sweep failed', undefined],
    ['a sweep failed', undefined],
  ])
  await clock.advance(quietMs - 1)
  expect(written()).toEqual([])
  await clock.advance(1)
  expect(written()).toEqual([[over, 3]])
  await clock.advance(sayAgainMs)
  expect(written()).toEqual([])
  say('expirer')
  expect(written()).toEqual([['a sweep failed', undefined]])
  await clock.advance(quietMs)
  expect(written()).toEqual([[over, 0]])
})

test('that one fault is over ends none of another', async () => {
  const { clock, log, written } = openLog()
  for (let i = 0; i < 5; i++) {
    if (i === 0) log.error({ err: fault('full') }, 'not stored')
    log.error({ err: fault('damaged_page') }, 'not stored')
    await clock.advance(60_000)
  }
  expect(written().map(([words]) => words)).toEqual([
    'not stored',
    'not stored',
    'a lasting fault has not occurred for two minutes',
  ])
})

test('what may pass by itself is said each time, and so is what is no fault of the database', () => {
  const { log, written } = openLog()
  for (const err of [
    fault('busy'),
    fault('busy'),
    fault('unavailable'),
    new Error('a bug'),
    new Error('a bug'),
  ])
    log.error({ err }, 'failed')
  log.error('without an error')
  log.error('without an error')
  expect(written()).toHaveLength(7)
})

test('outcomes that a damaged database does not take are offered four times a second, and the log says so once', async () => {
  const { clock, log, written } = openLog()
  let offered = 0
  const store = new OutcomeStore({
    units: {
      settleOutcomes: async () => {
        offered += 1
        throw fault('damaged')
      },
    },
    clock,
    log,
    metrics: createMetrics(),
    dueNow: clock.now,
    pool: { candidatesFor: () => [], routes: noRules },
    makeRoom: () => undefined,
    wake: () => undefined,
  })
  void store.add({
    claimed: { accountId: 'acc_a', mode: 'live', messageId: 'msg_1', attemptId: 'att_1', parts: 1 },
    device: null,
    outcome: { kind: 'accepted', networkIds: ['1'], partsTaken: 1, receiptExpected: true },
  } as never)
  for (let i = 0; i < 20; i++) await clock.advance(250)
  expect(offered).toBeGreaterThan(10)
  expect(written()).toEqual([[expect.stringContaining('failed to store outcomes'), undefined]])
})

test('what must be done about damage is said when it is found, and every ten minutes', async () => {
  const { clock, log, written } = openLog()
  const damage = new Damage()
  sayDamage(damage, { log, clock })
  expect(written()).toEqual([])
  damage.record(fault('damaged'))
  damage.record(fault('damaged'))
  await clock.advance(0)
  const remedy = [expect.stringContaining('onesixty restore <file>'), undefined]
  expect(written()).toEqual([remedy])
  await clock.advance(sayAgainMs - 1)
  expect(written()).toEqual([])
  await clock.advance(1)
  expect(written()).toEqual([remedy])
})
