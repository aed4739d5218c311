import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classify, statusClasses, statusMeanings } from '../../src/smpp/values/command-status-class.ts'
import { readAnswer } from '../../src/connectors/smpp/submit/part-response.ts'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import { messageErrorCodes } from '../../src/messages/core/message-errors.ts'

const none = new Map()
const lasts = (status: number) => classify(status, none).lasts
const anyStatus = fc.oneof(
  fc.constantFrom(...Object.values(commandStatus)),
  fc.integer({ min: 0x400, max: 0x4ff }),
  fc.nat(0xffff_ffff),
)

test('every command_status has a class, a code that clients know, and a sentence', () => {
  fc.assert(
    fc.property(anyStatus, (status) => {
      const meaning = classify(status, none)
      expect(statusClasses).toContain(meaning.lasts)
      expect(messageErrorCodes).toContain(meaning.code)
      expect(meaning.summary).toMatch(/^[A-Z].*\.$/)
      expect(meaning.name).not.toBe('')
    }),
    { numRuns: 2_000 },
  )
})

test('what the SMSC cannot take just now costs the message no attempt', () => {
  expect(classify(0x58, none)).toMatchObject({
    name: 'ESME_RTHROTTLED',
    lasts: 'busy',
    code: 'device_rate_limited',
  })
  expect(classify(0x14, none)).toMatchObject({
    name: 'ESME_RMSGQFUL',
    lasts: 'busy',
    code: 'network_congested',
  })
})

test('faults of the SMSC pass; faults of the address, the text and the settings stay', () => {
  expect([0x08, 0x64, 0xfe].map(lasts)).toEqual(['now', 'now', 'now'])
  expect([0x01, 0x0a, 0x0b, 0x65, 0x104].map(lasts)).toEqual(['good', 'good', 'good', 'good', 'good'])
  expect(classify(0x0b, none).code).toBe('number_invalid')
})

test('a word about the session is none about the message', () => {
  expect([0x04, 0x05, 0x0d, 0x0e, 0x0f, 0x53].map(lasts)).toEqual(Array(6).fill('link'))
})

test('an unknown error, and a nack that says no error, leave the outcome open', () => {
  expect([0x00, 0xff].map(lasts)).toEqual(['unknown', 'unknown'])
  const reading = { classify: (status: number) => classify(status, none), canonicalId: (id: string) => id }
  expect(readAnswer({ command: 'submit_sm_resp', status: 0xff, body: null }, reading)).toMatchObject({
    kind: 'unknown',
    answered: { networkCode: 'ESME_RUNKNOWNERR' },
  })
})

test('what the standard does not define is a refusal for good', () => {
  expect(classify(0x412, none)).toMatchObject({
    name: 'vendor specific',
    lasts: 'good',
    code: 'network_rejected',
  })
  expect(classify(0x500, none)).toMatchObject({ name: 'reserved', lasts: 'good' })
  expect(classify(0x3ff, none)).toMatchObject({ name: 'reserved' })
})

test('the word of the operator goes before the table, for that status and no other', () => {
  const overrides = new Map([
    [0x14, 'now'],
    [0x400, 'busy'],
    [0x45, 'good'],
  ] as const)
  expect(classify(0x14, overrides)).toMatchObject({ lasts: 'now', code: 'network_congested' })
  expect(classify(0x400, overrides)).toMatchObject({ lasts: 'busy', code: 'network_congested' })
  expect(classify(0x45, overrides)).toMatchObject({ lasts: 'good', code: 'network_rejected' })
  fc.assert(
    fc.property(anyStatus, (status) => {
      fc.pre(!overrides.has(status as 0x14))
      expect(classify(status, overrides)).toEqual(classify(status, none))
    }),
  )
})

test('whatever class the operator names, the code is one that clients know', () => {
  fc.assert(
    fc.property(anyStatus, fc.constantFrom(...statusClasses), (status, named) => {
      const meaning = classify(status, new Map([[status, named]]))
      expect(meaning.lasts).toBe(named)
      expect(messageErrorCodes).toContain(meaning.code)
    }),
  )
})

test('the table knows every name of the protocol and only those', () => {
  expect(Object.keys(statusMeanings)).toEqual(Object.keys(commandStatus))
})
