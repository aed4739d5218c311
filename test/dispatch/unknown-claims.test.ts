import { expect, onTestFinished, test } from 'vitest'
import type { DispatchUnits } from '../../src/dispatch/dispatch-units.ts'
import { StorageError } from '../../src/storage/dialect.ts'
import { openMessagesFixture } from '../messages-fixture.ts'

/** The claims of a database whose answer to a commit is lost so often, though it was stored. */
const losingAnswers =
  (times: number) =>
  (units: DispatchUnits): DispatchUnits => ({
    ...units,
    async claim(input) {
      const answer = await units.claim(input)
      if (answer.claimed.length === 0 || times-- <= 0) return answer
      throw new StorageError('the server went away during COMMIT', 'outcome_unknown', true)
    },
  })

test('what was claimed by a commit that nobody answered for is given back, and goes once', async () => {
  const house = await openMessagesFixture(undefined, { around: losingAnswers(1) })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send({ to: ['+4915112345671', '+4915112345672'] })
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sending', 'sending'])
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued', 'queued'])
  await house.clock.advance(2_000)
  await house.dispatcher.drain()
  const attempts = await house.storage.read
    .selectFrom('attempts')
    .select(['number', 'state', 'ended_at'])
    .orderBy('number')
    .execute()
  expect(attempts.map(({ state }) => state).toSorted()).toEqual([
    'accepted',
    'accepted',
    'refused',
    'refused',
  ])
  expect(attempts.every(({ ended_at }) => ended_at !== null)).toBe(true)
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  expect(
    await house.storage.read
      .selectFrom('wallets')
      .select(['reserved', 'used'])
      .where('mode', '=', 'live')
      .execute(),
  ).toEqual([{ reserved: 0, used: 2 }])
})
