import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { defer } from '../../src/messages/queue/deferred.ts'
import { dequeue } from '../../src/messages/queue/dequeue.ts'
import { realKinds } from '../../src/connectors/registry.ts'
import { releaseDue } from '../../src/messages/queue/release-due.ts'
import { readTimesTo } from '../../src/messages/send/times-to-numbers.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { expectSums } from './expect-sums.ts'
import { openTendedHouse, type TendedHouse } from './tended-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: TendedHouse
beforeAll(async () => {
  house = await openTendedHouse()
  const sendAt = house.clock.now() + 3_600_000
  for (let i = 0; i < 200; i++)
    await house.send({ sendAt: sendAt + i * 60_000, expiresAt: sendAt + 86_400_000 })
})
afterAll(() => house.close())

test('what is due is found at the front of an index, however much is scheduled, and nothing else is read while nothing is', async () => {
  const { storage, dataFolder } = house
  const { dueReleaser } = house.janitors()
  const swept = await statementsOf(storage.read, () => dueReleaser.sweepAll())
  expect(swept).toHaveLength(1)
  const nowMs = house.clock.now()
  const unit = await storage.writer.write((tx) => takeChange(tx, nowMs))
  const released = await statementsOf(storage.read, () =>
    releaseDue(storage.read as never, unit, { dueMs: nowMs, most: 500, kinds: realKinds }),
  )
  const steps = await stepsOf(dataFolder, ...swept, ...released)
  const reads = steps.filter((step) => /\bdeferred|\bd\b/.test(step))
  expect(reads).toHaveLength(2)
  for (const step of reads)
    expect(step).toMatch(
      isPostgres
        ? /^SEARCH deferred BY deferred_due \(wake_at<=\)/
        : /^SEARCH (deferred|d) USING (COVERING )?INDEX deferred_due \(wake_at<\?\)/,
    )
  expect(steps.filter((step) => /B-TREE|SORT/.test(step))).toEqual([])
})

test('what lies around the hour of a plan is found by its number, or by its neighbours', async () => {
  const { storage, dataFolder, clock } = house
  const around = {
    accountId: 'acc_a',
    mode: 'live',
    category: null,
    afterMs: clock.now(),
    beforeMs: clock.now() + 86_400_000,
  } as const
  const ranges = [
    { target: 'one', first: '+4915112345678', last: '+4915112345678', most: 4 },
    { target: 'neighbours', first: '+4915112345000', last: '+4915112345999', most: 8 },
  ]
  const said = await statementsOf(storage.read, async () => {
    const found = await readTimesTo(storage.read, around, ranges)
    expect([found.get('one')?.length, found.get('neighbours')?.length]).toEqual([4, 8])
  })
  const steps = await stepsOf(dataFolder, ...said)
  expect(steps.filter((step) => step.includes('messages'))).toEqual([
    // Of one number nothing is walked over that is another account's.
    expect.stringMatching(/messages_by_recipient .*recipient=.*account_id=.*mode=.*id>/),
    expect.stringMatching(/messages_by_recipient .*recipient>/),
  ])
})

test('what waits for an instant is canceled by its key, and the queue is asked for nothing but what may stand in it', async () => {
  const { storage, clock, dataFolder } = house
  const nowMs = clock.now()
  await house.send()
  const {
    due_at: dueAt,
    restore_hold: _,
    ...place
  } = await storage.read.selectFrom('queue').selectAll().executeTakeFirstOrThrow()
  await storage.writer.write(async (tx) => {
    await dequeue(tx, [{ ...place, due_at: dueAt }])
    await defer(tx, [{ ...place, reason: 'quiet_hours', wake_at: place.expires_at }])
  })
  await house.send()
  const deferred = (reason: 'scheduled' | 'quiet_hours') =>
    storage.read
      .selectFrom('deferred')
      .select('message_id')
      .where('reason', '=', reason)
      .limit(1)
      .executeTakeFirstOrThrow()
  const waiting = [
    await deferred('scheduled'),
    await deferred('quiet_hours'),
    await storage.read.selectFrom('queue').select('message_id').executeTakeFirstOrThrow(),
  ].map((row) => row.message_id)
  const keys = waiting.map((messageId) => ({ accountId: 'acc_a', mode: 'live', messageId }) as const)
  const told = await storage.writer.write(async (tx) => {
    const unit = await takeChange(tx, nowMs)
    return statementsOf(tx, async () => {
      const canceled = await cancelMessages(tx, unit, keys, 'canceled_by_user')
      expect(canceled.map(({ result }) => result)).toEqual(['canceled', 'canceled', 'canceled'])
    })
  })
  const asked = told
    .filter(({ sql }) => /^\s*select.*\bfrom queue\b/is.test(sql))
    .map(({ parameters }) => waiting.map((id) => JSON.stringify(parameters).includes(id)))
  expect(asked).toEqual([[false, false, true]])
  await storage.writer.write(analyse)
  const steps = await stepsOf(
    dataFolder,
    ...told.filter(({ sql }) => /^\s*select.*\bfrom deferred\b/is.test(sql)),
  )
  expect(steps).toEqual([
    isPostgres
      ? 'SEARCH deferred BY deferred_pkey (account_id= mode= message_id=)'
      : 'SEARCH deferred USING PRIMARY KEY (account_id=? AND mode=? AND message_id=?)',
  ])
  expect(await storage.read.selectFrom('queue').selectAll().execute()).toEqual([])
  await expectSums(storage.read, nowMs)
})
