import type { Ids } from '../ids.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Encoding, Mode } from '../storage/schema.ts'
import { insertRows } from '../storage/sets.ts'

/** An SMS that reached a device, measured. */
export interface InboundMessage {
  deviceId: string
  /** The device's owner; null for a shared device. */
  accountId: string | null
  mode: Mode
  from: string
  to: string | null
  country: string | null
  text: string
  encoding: Encoding
  units: number
  parts: number
  receivedAt: number
  inReplyTo: string | null
  fingerprint: string
}

/**
 * Stores received messages, each once by the device's fingerprint. On a shared device the attempt that is answered tells whose message
 * it is; without one it is nobody's and is dropped. Gives how many were stored. Received messages cost nothing.
 */
export async function receiveMessages(tx: Tx, ids: Ids, inbound: readonly InboundMessage[]): Promise<number> {
  let stored = 0
  for (const message of inbound) {
    const accountId = message.accountId ?? (await accountOfAttempt(tx, message.inReplyTo))
    const seen = {
      device_id: message.deviceId,
      fingerprint: message.fingerprint,
      received_at: message.receivedAt,
    }
    if (accountId === null || (await insertRows(tx, 'inbound_seen', [seen], 'ignore')) === 0) continue
    await insertRows(tx, 'messages', [inboundRow(message, accountId, ids('msg'))])
    stored += 1
  }
  return stored
}

async function accountOfAttempt(tx: Tx, attemptId: string | null): Promise<string | null> {
  if (attemptId === null) return null
  const row = await tx
    .selectFrom('attempts')
    .select('account_id')
    .where('id', '=', attemptId)
    .executeTakeFirst()
  return row?.account_id ?? null
}

const inboundRow = (message: InboundMessage, accountId: string, id: string) => ({
  account_id: accountId,
  mode: message.mode,
  id,
  direction: 'inbound' as const,
  status: 'received' as const,
  recipient: message.to ?? '',
  sender: message.from,
  country: message.country,
  category: 'transactional' as const,
  text: message.text,
  text_redacted: 0 as const,
  encoding: message.encoding,
  units: message.units,
  parts: message.parts,
  parts_sent: 0,
  held: 0,
  charged: 0,
  cost_state: 'none' as const,
  on_unknown: 'stop' as const,
  device_id: message.deviceId,
  attempts: 0,
  possible_duplicate: 0 as const,
  metadata: '{}',
  created_at: message.receivedAt,
  finalized_at: message.receivedAt,
  settled_at: message.receivedAt,
  updated_at: message.receivedAt,
})
