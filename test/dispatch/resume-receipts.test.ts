import { expect, test } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { resumeReceipts } from '../../src/dispatch/devices/resume-receipts.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openMessagesFixture } from '../messages-fixture.ts'

test('of a message whose parts begin one page and end another each part is told once', async () => {
  const house = await openMessagesFixture()
  for (const id of ['acc_a', 'acc_b']) await house.addAccount(id, 10)
  const row = { device_id: 'dev_s', mode: 'live', attempt_number: 1, wire_parts: 4, sent_at: 1 } as const
  // The last first, so that the order of the table is not that of the pages.
  const rows = ['n4', 'n3', 'n2', 'n1'].map((network_id) => ({ ...row, network_id, account_id: 'acc_a', message_id: 'msg_a' }))
  await house.storage.writer.write((tx) =>
    insertRows(tx, 'receipts_expected', [...rows, { ...row, network_id: 'm1', account_id: 'acc_b', message_id: 'msg_b' }]),
  )
  const told: string[] = []
  // With room for 6 of two wallets a page has 3.
  const link = {
    resumesFirst: { most: 6 },
    resume: (parts: readonly { networkId: string }[]) => void told.push(...parts.map(({ networkId }) => networkId)),
  } as unknown as Link
  await resumeReceipts(house.storage.read, 'dev_s', link)
  expect(told.toSorted()).toEqual(['m1', 'n1', 'n2', 'n3', 'n4'])
  await house.close()
}) // prettier-ignore
