import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import type { Deps, FilledAccount, Filling } from './filling.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'

/** One message of each kind that rests, one that waits for a sender of its own, one received, and a piece of one. */
export async function fillMessages(writer: Writer, deps: Deps, filled: FilledAccount, filling: Filling) {
  const { ids, nowMs } = deps
  const { mark, number } = filling
  const { accountId, deviceId } = filled
  await writer.write((tx) => startInstance(tx, nowMs))
  const end = async (outcome: Outcome, more: Partial<SendRequest> = {}) => {
    await send(writer, deps, filled, filling, more)
    const request = { accountId, mode: 'live', routeKey: routeKeyOf({ mode: 'live', sender: null }), deviceId, quota: 1, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
    const at = { requests: [request], nowMs, dueMs: nowMs, fence: 1 }
    const { claimed } = await writer.write((tx) => claimMessages(tx, ids, at, changeOnDemand(tx, nowMs)))
    await writer.write((tx) =>
      settleOutcomes(
        tx,
        claimed.map((one) => judgeOutcome(one, outcome, nowMs)),
        takeChange(tx, nowMs),
      ),
    )
  }
  const networkId = `${accountId}-1`
  await end({ kind: 'accepted', networkIds: [networkId], receiptExpected: true })
  const word = { deviceId, networkId, result: 'delivered', code: null, networkCode: mark } as const
  await writer.write((tx) => settleReceipts(tx, [{ ...word, atMs: nowMs }], takeChange(tx, nowMs)))
  await end({ kind: 'accepted', networkIds: [`${accountId}-2`], receiptExpected: true })
  await end({ kind: 'refused', lasts: 'good', code: 'network_rejected', networkCode: `no ${mark}` })
  await end(
    { kind: 'unknown', networkIds: [`${accountId}-3`], partsTaken: 1, detail: 'no answer' },
    { parts: 2 },
  )
  await send(writer, deps, filled, filling, { from: mark })
  const sendAt = deps.nowMs + 3_600_000
  await send(writer, deps, filled, filling, { from: mark, sendAt, expiresAt: sendAt + 60_000 })
  const inbound = {
    deviceId, accountId, mode: 'live', from: number, to: mark, country: 'DE', text: `Hello ${mark}`, encoding: 'gsm7', units: 23,
    parts: 1, inReplyTo: null,
  } as const // prettier-ignore
  const fragment = { reference: 7, total: 2, index: 1 }
  await writer.write(async (tx) =>
    receiveMessages(
      tx,
      { ids, unit: await takeChange(tx, nowMs) },
      [
        { ...inbound, fingerprint: mark },
        { ...inbound, fingerprint: `${mark}-1`, inReplyTo: mark, fragment },
      ],
      { joinMs: 60_000, maxCharacters: 40_000 },
    ),
  )
}

async function send(
  writer: Writer,
  { ids, nowMs }: Deps,
  { accountId }: FilledAccount,
  { mark, number }: Filling,
  more: Partial<SendRequest>,
): Promise<void> {
  const request = sendRequest(
    { ids, nowMs },
    {
      to: [number],
      accountId,
      idempotency: { key: ids('snd') + mark, fingerprint: mark },
      text: `Hello ${mark}`,
      clientReference: `for ${mark}`,
      metadata: `{"of":"${mark}"}`,
      ...more,
    },
  )
  await writer.write(async (tx) => {
    await sendMessages(tx, [request], takeChange(tx, nowMs))
    await tx
      .updateTable('idempotency_keys')
      .set({ warnings: `["${mark}"]` })
      .where('account_id', '=', accountId)
      .execute()
  })
}
