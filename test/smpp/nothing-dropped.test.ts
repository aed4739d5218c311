import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandStatus, tlvTags } from '../../src/smpp/codec/pdu.ts'
import { readAnswer } from '../../src/connectors/smpp/submit/part-response.ts'
import { openIncoming } from './incoming-fixture.ts'

/**
 * Whatever an SMSC delivers and is answered with a yes is stored, as a receipt or as a message, or counted as unread. What says that a message is still on
 * its way, or that nobody knows, or that it was read without a word of its reader (SMPP 3.4, sections 5.2.12 and 5.2.28, appendix B), asks for nothing.
 */
const onItsWay = ['ENROUTE', 'ACCEPTD', 'SCHEDULED', 'BUFFRED', 'UNKNOWN']
const words = [...onItsWay, 'DELIVRD', 'UNDELIV', 'EXPIRED', 'DELETED', 'REJECTD', 'BARRED', '2', '12', '']
const statesOnTheWay = [0, 1, 6, 7]

const id = fc.oneof(
  fc.constantFrom('1', '0012', 'A1', 'a1b2-c3', ''),
  fc.integer({ min: 1, max: 60_000 }).map((length) => 'a'.repeat(length)),
)
const receiptText = fc
  .record({ id, word: fc.constantFrom(...words), isWhole: fc.boolean(), cut: fc.nat(60) })
  .map(({ id: is, word, isWhole, cut }) => {
    const whole = `id:${is} sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:${word} err:000 text:Hi`
    return { word, text: isWhole ? whole : whole.slice(0, cut) }
  })
const anyText = fc
  .oneof(fc.constantFrom('', ' ', 'STOP', 'id:1', 'stat:DELIVRD', '\0'), fc.string({ maxLength: 40 }))
  .map((text) => ({ word: null, text }))
const tlvs = fc.record(
  {
    id: fc.constantFrom('7\0', '', 'ffffffff'),
    state: fc.nat(12),
    reference: fc.nat(65_535),
    payload: fc.boolean(),
  },
  { requiredKeys: [] },
)

const delivered = fc.record({
  said: fc.oneof(receiptText, anyText),
  tlvs,
  esmClass: fc.constantFrom(0x00, 0x04, 0x08, 0x10, 0x18, 0x20, 0x24, 0x3c),
  isKnown: fc.boolean(),
  source: fc.constantFrom('', '4915112345678', 'ACME', '12345'),
})

test('nothing that an SMSC delivers is answered with a yes and dropped', async () => {
  await fc.assert(
    fc.asyncProperty(delivered, async ({ said, tlvs: given, esmClass, isKnown, source }) => {
      const { heard, say } = openIncoming()
      if (isKnown) for (const known of ['1', '12', '7', 'a1']) heard.known.add(known)
      const octets = Buffer.from(said.text)
      const isPayload = given.payload === true || octets.length > 254
      await say({
        esmClass,
        source: { ton: 1, npi: 1, address: source },
        shortMessage: isPayload ? Buffer.alloc(0) : octets,
        tlvs: [
          ...(given.id === undefined ? [] : [{ tag: tlvTags.receipted_message_id, value: Buffer.from(given.id) }]),
          ...(given.state === undefined ? [] : [{ tag: tlvTags.message_state, value: Buffer.of(given.state) }]),
          ...(given.reference === undefined ? [] : [{ tag: tlvTags.user_message_reference, value: Buffer.of(given.reference >> 8, given.reference & 0xff) }]),
          ...(isPayload ? [{ tag: tlvTags.message_payload, value: octets }] : []),
        ],
      }) // prettier-ignore
      const asksForNothing =
        onItsWay.some((word) => said.text.includes(`stat:${word}`)) ||
        (given.state !== undefined && statesOnTheWay.includes(given.state)) ||
        ((esmClass & 0x3c) !== 0 && (esmClass & 0x3c) !== 4 && said.text.replaceAll('\0', '').trim() === '')
      const kept = heard.receipts.length + heard.inbound.length + heard.unread.length
      expect(kept > 0 || asksForNothing).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

const status = fc.oneof(
  fc.constantFrom(...Object.values(commandStatus)),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
)
const lasting = fc.constantFrom('good', 'now', 'busy', 'unknown', 'link')

test('whatever an SMSC answers to a part says what became of it, and a yes is never taken for a no', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('submit_sm_resp', 'data_sm_resp', 'generic_nack'),
      status,
      fc.option(fc.record({ messageId: fc.string({ maxLength: 70 }) })),
      lasting,
      (command, given, body, lasts) => {
        const answer = { command, status: given, body } as unknown as Parameters<typeof readAnswer>[0]
        const read = readAnswer(answer, {
          classify: () => ({ lasts, code: 'device_error' }),
          canonicalId: (messageId) => messageId,
        })
        const isYes = given === 0 && command !== 'generic_nack'
        expect(read.kind === 'taken').toBe(isYes)
        if (read.kind === 'taken') expect(read.messageId).not.toBe('')
        if (read.kind === 'refused')
          expect(read.reason).toMatchObject({ lasts, networkCode: expect.stringMatching(/./) })
        if (read.kind === 'unknown') expect(read.detail).not.toBe('')
        expect(['taken', 'refused', 'unknown', 'not_written']).toContain(read.kind)
      },
    ),
    { numRuns: 2_000 },
  )
})
