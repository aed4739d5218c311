import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passwordFaults } from '../../src/accounts/people/password-rules.ts'

const person = { email: 'ada.lovelace@example.org', name: 'Ada Lovelace' }
const codes = (password: string) => passwordFaults(password, person).map(({ code }) => code)

test('twelve characters of any kind are enough, and no kind is asked for', () => {
  for (const password of [
    'tvrxmkwnpqzh',
    'gelber Igel im Schnee',
    'ŵîndÿ çliffs öf ñight',
    '数学和诗歌在夜里同行于河岸',
    '8391 0275 6640 9127 35',
  ])
    expect(codes(password), password).toEqual([])
})

test('a shorter or far too long one is refused with its length', () => {
  expect(passwordFaults('tvrxmkwnpqz', person)).toEqual([
    {
      pointer: '/password',
      code: 'too_short',
      detail: 'The password must have at least 12 characters; it has 11.',
    },
  ])
  // Characters, not code units.
  expect(codes('🐎🔋📎✅🌍🎻🥨🚲⛵🌙')).toEqual(['too_short'])
  expect(codes('tv'.repeat(65))).toEqual(['too_long'])
  expect(codes(`tvrxmkwnpqz\uD800`)).toEqual(['invalid_unicode'])
})

test('what is tried first is refused, also with digits, signs and look-alikes', () => {
  const common = [
    '123456789012', '111111111111', 'aaaabbbbcccc', 'passwordpassword', 'Password2026!', 'P@ssw0rd12345', 'administrator1',
    'qwertyuiop12', 'qwertyasdfgh', '1q2w3e4r5t6y', '1qaz2wsx3edc', 'abcdefghijkl', 'iloveyou1234', 'abcabcabcabc',
    'changeme-now'.replace('-now', '12345'), 'welcome welcome', 'Summer-2026-Winter'.replace('-2026-', ''), '+4915112345678', 'onesixty onesixty',
  ] // prettier-ignore
  for (const password of common) expect(codes(password), password).toEqual(['not_in_enum'])
})

test('the own name and address are refused', () => {
  for (const password of ['ada.lovelace@example.org', 'AdaLovelace1815', 'lovelace-lovelace'])
    expect(codes(password), password).toEqual(['not_in_enum'])
  expect(passwordFaults('AdaLovelace1815', { email: 'bob@example.org' })).toEqual([])
})

test('random letters are never refused', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
    minLength: 16,
    maxLength: 40,
  })
  fc.assert(
    fc.property(
      letters.filter((text) => new Set(text).size > 8),
      (password) => {
        expect(codes(password)).toEqual([])
      },
    ),
  )
})

test('what is just beyond a rule is allowed, and walks are found backwards, too', () => {
  // Five different letters, and seventeen digits.
  for (const password of ['xkvqbqkxvbkq', '83910275664091273']) expect(codes(password), password).toEqual([])
  for (const password of ['xkvqqkxvxkqv', '8391027566409127', 'poiuytrewqlkjhg'])
    expect(codes(password), password).toEqual(['not_in_enum'])
})
