import { createIds } from '../../src/runtime/ids.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { MessageStatus, Payer } from '../../src/storage/tables/schema.ts'
import { openNearFolder } from '../open-near.ts'
import { sendRequest } from '../send-request.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** What a server does at its start as far as restores go; then it accepts `count` messages of an account, at once or for later, and is gone. */
export async function serveOnce(
  dataFolder: string,
  accountId: string,
  count: number,
  more: { sendAt?: number; paidBy?: Payer } = {},
) {
  const storage = await openNearFolder(dataFolder, Date.now())
  const started = await advanceEpoch(storage, dataFolder, Date.now())
  const ids = createIds({ now: Date.now })
  for (let i = 0; i < count; i++) {
    const request = sendRequest({ ids, nowMs: Date.now() }, { accountId, ...more })
    await storage.writer.write((tx) => sendMessages(tx, [request], takeChange(tx, request.createdAt)))
  }
  await storage.close()
  return started
}

/** The states of all messages, with what each is charged and how many stand in the queue. */
export async function readMessages(dataFolder: string) {
  const storage = await openNearFolder(dataFolder, Date.now())
  const messages = await storage.read
    .selectFrom('messages')
    .select(['status', 'cost_state', 'error_code'])
    .orderBy('id')
    .execute()
  const queue = await storage.read.selectFrom('queue').select('restore_hold').orderBy('message_id').execute()
  await storage.close()
  return {
    statuses: messages.map((message): MessageStatus => message.status),
    codes: messages.map((message) => message.error_code),
    costs: messages.map((message) => message.cost_state),
    holds: queue.map((row) => row.restore_hold),
  }
}
