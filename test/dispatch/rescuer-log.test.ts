import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import type { PastSubmissions } from '../../src/dispatch/submissions/submission-log.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  await house.addDevice('dev_s', { settings: { offline: 'true' } })
})
afterEach(async () => {
  await expectSums(house.storage.read, house.clock.now())
  await house.close()
})

const accepted: Outcome = { kind: 'accepted', networkIds: ['net-1'], receiptExpected: true }

const attemptIds = async (): Promise<string[]> =>
  (await house.storage.read.selectFrom('attempts').select('id').orderBy('id').execute()).map(({ id }) => id)

/** Three messages that a process of fence 1 had claimed when it died, the first left and answered, the second left, the third not. */
async function dieWithThree(epoch = 1): Promise<PastSubmissions> {
  await house.send({ to: ['+4915100000001', '+4915100000002', '+4915100000003'] })
  expect(await house.claimAndDie(1, { isLogged: true })).toBe(3)
  const [first = '', second = ''] = await attemptIds()
  return {
    epoch,
    outcomes: new Map<string, Outcome | null>([
      [first, accepted],
      [second, null],
    ]),
  }
}
const rescue = (past: PastSubmissions | null) => house.janitors({ fence: 2, past }).rescuer.sweepAll()

test('after a kill the log tells: what was answered counts, what had left is unknown, what had not goes again', async () => {
  await rescue(await dieWithThree())
  expect(await house.statuses()).toEqual(['sent', 'unconfirmed', 'queued'])
  const expected = await house.storage.read.selectFrom('receipts_expected').select('network_id').execute()
  expect(expected.map(({ network_id }) => network_id)).toContain('net-1')
  expect(await house.storage.read.selectFrom('queue').select('refusals').execute()).toEqual([{ refusals: 0 }])
  expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 1, used: 1 })
})

test('without a log that can be relied on everything is unknown', async () => {
  await dieWithThree()
  await rescue(null)
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
})

test('the log of another start tells nothing', async () => {
  const past = await dieWithThree(0)
  await rescue(past)
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
})

test('of what was claimed without the log it tells nothing', async () => {
  await house.send()
  await house.claimAndDie(1)
  await rescue({ epoch: 1, outcomes: new Map() })
  expect(await house.statuses()).toEqual(['unconfirmed'])
})

test('what a restore holds back does not go again, whatever the log tells', async () => {
  await house.send()
  await house.claimAndDie(1, { isLogged: true })
  await house.storage.writer.write((tx) => tx.updateTable('attempts').set({ restore_hold: 1 }).execute())
  await rescue({ epoch: 1, outcomes: new Map() })
  expect(await house.statuses()).toEqual(['unconfirmed'])
  expect(await house.storage.read.selectFrom('queue').selectAll().execute()).toEqual([])
})
