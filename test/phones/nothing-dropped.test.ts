import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRoutesHouse } from './routes-house.ts'
import { received, reportOf } from './said-by-app.ts'

/** Events of the app (`WebHookEvent`, app 1.68), of others and of nobody; `system:ping` and `app:started` tell of the phone itself. */
const events = ['sms:received', 'sms:data-received', 'mms:received', 'sms:sent', 'sms:delivered', 'sms:failed', 'system:ping', 'app:started', 'sms:batch', '+49151 12345678', 7, null] as const // prettier-ignore
const aboutItself: readonly unknown[] = ['system:ping', 'app:started']

const member = fc.oneof(
  fc.constantFrom('+4915550007777', '', 'STOP', null, 7, true),
  fc.constant({}),
  fc.constant([]),
)
const payload = fc.record(
  { message: member, sender: member, phoneNumber: member, receivedAt: member, messageId: member, simNumber: member, partsCount: member },
  { requiredKeys: [] },
) // prettier-ignore

test('nothing that a phone tells of by itself is answered with a yes and dropped, and what is listed of it is nobody’s', async () => {
  const { hook, store } = await openRoutesHouse()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...events), fc.boolean(), payload, async (event, isWhole, said) => {
      const before = store.inbound.length + store.sent.length + store.unread.length
      const answer = await hook(event as string, isWhole ? { ...received, ...said } : said)
      expect(answer.status).toBe(204)
      const kept = store.inbound.length + store.sent.length + store.unread.length - before
      // That a message was sent over a SIM that is not named, and in parts that are not counted, says nothing.
      const saysNothing =
        event === 'sms:sent' && typeof { ...(isWhole && received), ...said }.messageId === 'string'
      expect(kept > 0 || aboutItself.includes(event) || saysNothing).toBe(true)
    }),
    { numRuns: 300 },
  )
  expect(store.unread.length).toBeGreaterThan(50)
  for (const [, form] of store.unread) expect(form).not.toMatch(/\d|STOP/)
})

const entry = fc.oneof(
  fc.constantFrom(null, 7, 'Sent', []),
  fc
    .record({
      state: fc.constantFrom(
        'Pending',
        'Processed',
        'Sent',
        'Delivered',
        'Failed',
        'Cancelled',
        'Lost',
        '+49151',
        3,
        null,
      ),
      id: fc.constantFrom('att_1', '', null, 'a'.repeat(65)),
      recipients: fc.constantFrom<unknown>([], null, [{ state: 'Sent' }], [{ state: 'Gone' }], [null]),
    })
    .map(({ state, ...more }) => reportOf(state as string, more)),
)

test('each report of a phone is handed on or listed as unread', async () => {
  const { call, store } = await openRoutesHouse()
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (list) => {
      const before = store.reports.length + store.unread.length
      expect((await call('PATCH', '/message', { json: list })).status).toBe(204)
      expect(store.reports.length + store.unread.length - before).toBe(list.length)
    }),
    { numRuns: 300 },
  )
  for (const [kind, form] of store.unread)
    expect([kind, form]).toEqual(['report', expect.not.stringMatching(/\d/)])
})
