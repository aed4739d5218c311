import { expect, test } from 'vitest'
import { renderMessage } from '../../src/api/v1/message-view.ts'
import { eventBody } from '../../src/webhooks/event-body.ts'
import type { WebhookEventTable } from '../../src/storage/tables/webhook-tables.ts'
import { storedMessage } from '../history/stored-messages.ts'

const sentByOwn = storedMessage({
  id: 'msg_1',
  created_at: 1,
  status: 'sent',
  charged: 1,
  cost_state: 'charged',
  fallback: 'shared',
  paid_by: 'own_device',
})
const event = (row: Partial<WebhookEventTable>): WebhookEventTable => ({
  account_id: 'acc_ada', id: 'evt_1', type: 'message.queued', mode: 'live', at: 1, sequence: 1, previous_status: null, correction: 0,
  message_id: 'msg_1', status: 'queued', parts_sent: 0, charged: 0, cost_state: 'held', device_id: null, receipt_expected: null, error_code: null,
  network_code: null, attempts: 0, possible_duplicate: 0, send_at: null, expires_at: null, sent_at: null, delivered_at: null, finalized_at: null,
  facts: null, recipient: null, ...row,
}) // prettier-ignore
const costAt = (row: Partial<WebhookEventTable>, message = sentByOwn): object =>
  JSON.parse(eventBody(renderMessage, event(row), message) ?? '').data.message.cost

test('an event about a message with a fallback names the purse of its own time, although an own device has paid since', () => {
  expect(costAt({})).toEqual({ held: 1, charged: 0, state: 'held', paid_by: 'balance' })
  expect(costAt({ status: 'sent', charged: 1, cost_state: 'charged' })).toEqual({
    held: 1,
    charged: 1,
    state: 'charged',
    paid_by: 'own_device',
  })
})

test('one about a message that only own devices carry names them from the beginning', () => {
  expect(costAt({}, { ...sentByOwn, fallback: null })).toMatchObject({ paid_by: 'own_device' })
})
