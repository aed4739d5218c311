import type { Static } from 'typebox'
import { messageExample } from './message-example.ts'
import type { SendSchema } from './send-answer.ts'
import type { SendBody } from '../../sending/send-body.ts'

/** Request examples for the reference. */
export const sendBodyExamples = {
  shortest: {
    summary: 'The shortest send',
    value: { to: '+4915112345678', text: 'Hi Ana – it’s on its way' },
  },
  code: {
    summary: 'A one-time code that expires after five minutes',
    value: {
      to: '+4915112345678',
      text: 'Your code is 493 817. It is valid for 5 minutes.',
      category: 'authentication',
      validity_period: 300,
      client_reference: 'sign-in-8812',
    },
  },
  later: {
    summary: 'A scheduled send, which can be canceled or rescheduled in the console',
    value: {
      to: '+4915112345678',
      text: 'Your appointment is today at 14:00.',
      send_at: '2026-12-01T08:00:00+01:00',
      validity_period: 14_400,
    },
  },
  many: {
    summary: 'Several recipients, at most one part each',
    value: {
      to: ['+4915112345678', '+436641234567'],
      text: 'The office is closed tomorrow.',
      max_parts: 1,
      metadata: { department: 'facilities' },
    },
  },
} satisfies Record<string, { summary: string; value: SendBody }>

/** Response to the shortest send. */
export const sendExample: Static<typeof SendSchema> = {
  object: 'send',
  id: 'snd_01k9ktqv1gfx8r4z6m2d7cwn5e',
  mode: 'live',
  dry_run: false,
  created_at: '2026-11-21T09:30:00.000Z',
  content: {
    text: 'Hi Ana – it’s on its way',
    encoding: 'ucs2',
    units: 24,
    parts: 1,
    smart_encoding_applied: false,
  },
  totals: { recipients: 1, parts: 1, balance_available: 9 },
  warnings: [
    {
      code: 'unicode_encoding',
      message: '2 characters are outside the GSM alphabet.',
      parts_if_gsm7: 1,
      offending: [
        { character: '–', code_point: 'U+2013', index: 7, count: 1, replacement: '-' },
        { character: '’', code_point: 'U+2019', index: 11, count: 1, replacement: "'" },
      ],
    },
  ],
  messages: [
    {
      ...messageExample,
      status: 'queued',
      final: false,
      receipt_expected: null,
      device_id: null,
      parts_sent: 0,
      cost: { held: 1, charged: 0, state: 'held', paid_by: 'balance' },
      fallback: null,
      attempts: 0,
      client_reference: null,
      metadata: {},
      sent_at: null,
      delivered_at: null,
      finalized_at: null,
      updated_at: '2026-11-21T09:30:00.000Z',
    },
  ],
}
