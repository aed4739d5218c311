import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { dayMs, hourMs } from '../../src/runtime/clock.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
  onTestFinished(() => house.close())
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  const token = { id: 'ptk_1', account_id: 'acc_a', mode: 'live', hash: 'h', created_at: 0 } as const
  await house.storage.writer.write((tx) => insertRows(tx, 'phone_tokens', [token]))
})

/** Registrations of one device; those with a time have had others take their place. */
async function addPhones(superseded: Record<string, number | null>): Promise<void> {
  const rows = Object.entries(superseded).map(([id, superseded_at]) => ({
    id, device_id: 'dev_p', token_id: 'ptk_1', token_hash: id, hook_hash: id, signing_key: '', name: '', sims: '[]', uses_push: 0 as const,
    created_at: 0, updated_at: 0, superseded_at,
  })) // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'phones', rows))
}
const left = async (): Promise<string[]> => {
  const rows = await house.storage.read.selectFrom('phones').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

test('registrations that others took the place of go with the last of their offers, a page at a time', async () => {
  const nowMs = house.clock.now()
  const oldMs = nowMs - 400 * dayMs
  const many = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`phn_old_${i}`, oldMs + i]))
  await addPhones({ ...many, phn_offered: oldMs, phn_young: nowMs - dayMs, phn_present: null })
  const offer = {
    attempt_id: 'att_1', device_id: 'dev_p', phone_id: 'phn_offered', account_id: 'acc_a', mode: 'live', message_id: 'msg_1', attempt_number: 1,
    offered_at: oldMs, last_offered_at: oldMs, closed_at: nowMs,
  } as const // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'phone_offers', [offer]))
  const { receiptExpirer } = house.janitors()
  await receiptExpirer.sweepAll()
  expect(await left()).toEqual(['phn_offered', 'phn_present', 'phn_young'])
  house.passDays(400)
  // First the offer goes, and with the next sweep whom it was made to.
  for (let n = 0; n < 2; n++) await receiptExpirer.sweepAll()
  expect(await left()).toEqual(['phn_present'])
})

test('an offer that was closed, and a registration, stay for the receipt window and the days of corrections after it', async () => {
  const nowMs = house.clock.now()
  const { receiptWindowHours, correctionDays } = readConfig({})
  const keptMs = receiptWindowHours * hourMs + correctionDays * dayMs
  await addPhones({ phn_old: nowMs - keptMs, phn_kept: nowMs - keptMs + 1, phn_present: null })
  const offers = [nowMs - keptMs, nowMs - keptMs + 1].map((closed_at, i) => ({
    attempt_id: `att_${i}`, device_id: 'dev_p', phone_id: 'phn_present', account_id: 'acc_a', mode: 'live', message_id: 'msg_1', attempt_number: i + 1,
    offered_at: 0, last_offered_at: 0, closed_at,
  } as const)) // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'phone_offers', offers))
  await house.janitors().receiptExpirer.sweepAll()
  expect(await left()).toEqual(['phn_kept', 'phn_present'])
  expect(await house.storage.read.selectFrom('phone_offers').select('attempt_id').execute()).toEqual([
    { attempt_id: 'att_1' },
  ])
})
