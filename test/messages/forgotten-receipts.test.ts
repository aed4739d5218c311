import { expect, test } from 'vitest'
import { forgetUnmatchedAbout, type UnmatchedPlace } from '../../src/messages/outcomes/unmatched-receipts.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage } from '../open-test-storage.ts'

test('receipts that nobody waited for are forgotten page by page, though all of them came in one instant', async () => {
  const { storage, close } = await openTestStorage()
  const [recipient, other] = ['+4915112345678', '+4915112345679'] as const
  // The last ID first, so that a page in the order of the table would end at an early one.
  const rows = Array.from({ length: 2_500 }, (_, i) => {
    const [networkId, numbers] = [`n${9_999 - i}`, [i % 500 === 0 ? other : recipient]]
    const body = JSON.stringify({ networkId, numbers, result: 'delivered', code: null, networkCode: null, atMs: 1 })
    return { network_id: networkId, device_id: 'dev_s', reading: 0, body, received_at: 1 }
  }) // prettier-ignore
  await storage.writer.write((tx) => insertRows(tx, 'parked_receipts', rows))
  let pages = 0
  for (let behind: UnmatchedPlace | null = { receivedAtMs: 0, networkId: '' }; behind !== null; pages++) {
    const page: Parameters<typeof forgetUnmatchedAbout>[1] = { deviceId: 'dev_s', recipient, behind }
    behind = await storage.writer.write((tx) => forgetUnmatchedAbout(tx, page))
  }
  const left = await storage.read.selectFrom('parked_receipts').select('network_id').orderBy('network_id').execute() // prettier-ignore
  expect(left.map((row) => row.network_id)).toEqual(['n7999', 'n8499', 'n8999', 'n9499', 'n9999'])
  expect(pages).toBe(2)
  await close()
})
