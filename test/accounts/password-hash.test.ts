import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashPassword, isOutdatedHash, verifyPassword } from '../../src/accounts/people/password-hash.ts'

const password = 'sieben Igel unterm Dach'

test('a hash names argon2id and its cost, is another each time, and is of its password alone', async () => {
  const hash = await hashPassword({ randomBytes }, password)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await hashPassword({ randomBytes }, password)).not.toBe(hash)
  expect(await verifyPassword({ hash, password })).toBe(true)
  expect(await verifyPassword({ hash, password: `${password}!` })).toBe(false)
  expect(isOutdatedHash(hash)).toBe(false)
})

test('a hash of the reference implementation is understood, and is of another cost', async () => {
  // Its test vector for argon2id of 64 MiB.
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  expect(await verifyPassword({ hash, password: 'password' })).toBe(true)
  expect(await verifyPassword({ hash, password: 'passwort' })).toBe(false)
  expect(isOutdatedHash(hash)).toBe(true)
})

test('letters that are composed otherwise are the same password', async () => {
  const hash = await hashPassword({ randomBytes }, 'K\u00f6nige am Ufer')
  expect(await verifyPassword({ hash, password: 'Ko\u0308nige am Ufer' })).toBe(true)
})

test('what is no hash is of no password', async () => {
  for (const hash of [
    '',
    'not-a-hash',
    ':',
    `${'0'.repeat(32)}:${'0'.repeat(128)}`,
    '$argon2id$v=19$m=19456,t=2,p=1$$',
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$',
  ])
    expect(await verifyPassword({ hash, password: '' })).toBe(false)
})

test('many at once come in turn, and each has its answer', async () => {
  const hash = await hashPassword({ randomBytes }, password)
  const given = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? password : `${password}${i}`))
  const answers = await Promise.all(given.map((each) => verifyPassword({ hash, password: each })))
  expect(answers).toEqual(given.map((each) => each === password))
})
