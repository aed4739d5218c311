import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'

let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const busy: Outcome = {
  kind: 'refused',
  lasts: 'busy',
  code: 'device_rate_limited',
  networkCode: 'ESME_RTHROTTLED',
}
const away: Outcome = { kind: 'unavailable', detail: 'the session ended' }
const full: Outcome = {
  ...busy,
  code: 'network_congested',
  networkCode: 'ESME_RMSGQFUL',
  recipientAlone: true,
}

test('of a backlog, what was throttled or met no session goes first again, and what met a full handset when its time comes', async () => {
  for (let i = 0; i < 20; i++) {
    await house.send()
    await house.clock.advance(10)
  }
  const first = await house.claim()
  const second = await house.claim()
  await house.end(second, away)
  await house.end(first, busy)
  const again = await house.claim()
  expect(again.messageId).toBe(first.messageId)
  await house.end(again, full)
  expect((await house.claim()).messageId).toBe(second.messageId)
  expect((await house.claim()).messageId).not.toBe(first.messageId)
  await house.clock.advance(1_000)
  const claimed: string[] = []
  for (let i = 0; i < 18; i++) claimed.push((await house.claim()).messageId)
  expect(claimed.at(-1)).toBe(first.messageId)
})

test('what a restore holds while it is being handed over is held still when it goes back to the queue', async () => {
  for (let i = 0; i < 2; i++) await house.send()
  const [held, free] = [await house.claim(), await house.claim()]
  const ofHeld = { restore_hold: 1 } as const
  await house.store.writer.write((tx) =>
    tx.updateTable('attempts').set(ofHeld).where('message_id', '=', held.messageId).execute(),
  )
  for (const claimed of [held, free]) await house.end(claimed, busy)
  const holds = await house.store.db
    .selectFrom('queue')
    .select('message_id')
    .where('restore_hold', '=', 1)
    .execute()
  expect(holds).toEqual([{ message_id: held.messageId }])
})
