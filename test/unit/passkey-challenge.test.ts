import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  challengeLifeMs,
  makeChallenge,
  readChallenge,
} from '../../src/api/console/sign-in/passkey-challenge.ts'
import { passkeyPlace, requirePasskeyPlace } from '../../src/api/console/sign-in/passkey-place.ts'

const key = randomBytes(32)
const nowMs = 1_800_000_000_000
const challenge = makeChallenge({ key, nowMs, randomBytes }, 'sign-in a')

test('a challenge is known by its flow until it ends, and never the same', () => {
  const known = readChallenge({ key, nowMs }, 'sign-in a', challenge)
  expect(known).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), expiresAt: nowMs + challengeLifeMs })
  expect(readChallenge({ key, nowMs: nowMs + challengeLifeMs - 1 }, 'sign-in a', challenge)).toEqual(known)
  expect(readChallenge({ key, nowMs: nowMs + challengeLifeMs }, 'sign-in a', challenge)).toBeNull()
  expect(readChallenge({ key, nowMs }, 'sign-in b', challenge)).toBeNull()
  expect(readChallenge({ key, nowMs }, 'add a', challenge)).toBeNull()
  expect(readChallenge({ key: randomBytes(32), nowMs }, 'sign-in a', challenge)).toBeNull()
  expect(makeChallenge({ key, nowMs, randomBytes }, 'sign-in a')).not.toBe(challenge)
})

test('nothing else is taken for one, however little it differs', () => {
  const bytes = Buffer.from(challenge, 'base64url')
  const changed = fc
    .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }))
    .map(([at, by]) =>
      Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ by : byte))).toString('base64url'),
    )
  fc.assert(
    fc.property(fc.oneof(changed, fc.string({ maxLength: 100 })), (other) => {
      expect(readChallenge({ key, nowMs }, 'sign-in a', other)).toBeNull()
    }),
  )
})

test('the same bytes spelled otherwise are the same challenge: it is not answered twice', () => {
  const spelled = `${challenge}=`
  expect(readChallenge({ key, nowMs }, 'sign-in a', spelled)).toEqual(
    readChallenge({ key, nowMs }, 'sign-in a', challenge),
  )
})

test.each([
  ['https://sms.example.org', 'sms.example.org'],
  ['https://sms.example.org:8443', 'sms.example.org'],
  ['http://localhost:8160', 'localhost'],
  ['http://sms.localhost:8160', 'sms.localhost'],
  ['http://sms.example.org', null],
  ['https://192.168.1.5', null],
  ['http://127.0.0.1:8160', null],
  ['https://[2001:db8::1]', null],
])('the passkeys of %s are made for %s', (publicUrl, rpId) => {
  expect(passkeyPlace(publicUrl)).toEqual(rpId === null ? null : { rpId, origin: publicUrl })
})

test('an instance without a name or without HTTPS refuses passkeys with what to do', () => {
  const headers = new Headers({ origin: 'http://192.168.1.5:8160' })
  const refused = () => requirePasskeyPlace({ headers, publicUrl: () => 'http://192.168.1.5:8160' })
  expect(refused).toThrow('set `ONESIXTY_PUBLIC_URL` to the https URL')
})
