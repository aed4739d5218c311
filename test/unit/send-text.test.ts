import { expect, test } from 'vitest'
import { priceText, type TextWishes } from '../../src/sending/send-text.ts'
import type { Fault } from '../../src/runtime/errors.ts'

const usual: TextWishes = { encoding: 'auto', smartEncoding: true, maxParts: 10 }
function priced(text: string, wishes: Partial<TextWishes> = {}) {
  const faults: Fault[] = []
  return { priced: priceText(text, { ...usual, ...wishes }, faults), faults }
}
const faultOf = (text: string, wishes: Partial<TextWishes> = {}): Fault | undefined => {
  const { priced: price, faults } = priced(text, wishes)
  expect(price).toBeNull()
  expect(faults).toHaveLength(1)
  return faults[0]
}

test('what GSM-7 lacks is named, the first ten of it, and how many more there are', () => {
  const ten = 'абвгдежзий'
  const named = [...ten].map(
    (each) => `${each} (U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')})`,
  )
  const lacks = (text: string) => faultOf(text, { encoding: 'gsm7' })
  expect(lacks('я')).toMatchObject({
    pointer: '/text',
    code: 'not_encodable',
    detail: 'GSM-7 lacks я (U+044F).',
  })
  expect(lacks(ten)).toMatchObject({ detail: `GSM-7 lacks ${named.join(', ')}.` })
  expect(lacks(`${ten}кл`)).toMatchObject({ detail: `GSM-7 lacks ${named.join(', ')} and 2 more.` })
})

test('a text that cannot be sent is said to be so by its first character that cannot', () => {
  expect(faultOf('ab\u0007')).toMatchObject({ pointer: '/text', code: 'control_character' })
  expect(faultOf('ab\u0007')?.detail).toMatch(/ \(character 2\)$/)
})

test('a text may take as many parts as were allowed, and not one more', () => {
  expect(priced('x'.repeat(153 * 3), { maxParts: 3 })).toMatchObject({ priced: { parts: 3 }, faults: [] })
  expect(faultOf('x'.repeat(153 * 3 + 1), { maxParts: 3 })).toEqual({
    pointer: '/text',
    code: 'message_too_long',
    detail: 'The message needs 4 parts and `max_parts` is 3.',
  })
})

test('look-alikes are replaced where that saves a part, or where nothing else could go, and never against a choice', () => {
  const dear = `${'x'.repeat(80)}–`
  const replaced = {
    text: `${'x'.repeat(80)}-`,
    encoding: 'gsm7',
    parts: 1,
    smartEncodingApplied: true,
    encodingForced: false,
  }
  const asItIs = {
    text: dear,
    encoding: 'ucs2',
    parts: 2,
    plainParts: 2,
    smartEncodingApplied: false,
    encodingForced: false,
  }
  expect(priced(dear).priced).toMatchObject({ ...replaced, plainParts: 2 })
  expect(priced(dear, { encoding: 'gsm7' }).priced).toMatchObject({ ...replaced, plainParts: 1 })
  expect(priced(dear, { smartEncoding: false }).priced).toMatchObject(asItIs)
  expect(priced(dear, { encoding: 'ucs2' }).priced).toMatchObject(asItIs)
  expect(priced('–').priced).toMatchObject({
    text: '–',
    encoding: 'ucs2',
    parts: 1,
    smartEncodingApplied: false,
  })
  expect(priced('–', { encoding: 'gsm7' }).priced).toMatchObject({ text: '-', smartEncodingApplied: true })
  expect(faultOf('–', { encoding: 'gsm7', smartEncoding: false })).toMatchObject({ code: 'not_encodable' })
  expect(faultOf('–я', { encoding: 'gsm7' })).toMatchObject({ code: 'not_encodable' })
})

test('an encoding counts as chosen only where the text would have gone by another', () => {
  expect(priced('abc', { encoding: 'ucs2' }).priced).toMatchObject({ encoding: 'ucs2', encodingForced: true })
  expect(priced('я', { encoding: 'ucs2' }).priced).toMatchObject({ encoding: 'ucs2', encodingForced: false })
  expect(priced('abc').priced).toMatchObject({ encoding: 'gsm7', encodingForced: false })
  expect(priced('abc', { encoding: 'gsm7' }).priced).toMatchObject({
    encoding: 'gsm7',
    encodingForced: false,
  })
})
