import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { mintSigningSecret, signedHeaders } from '../../src/webhooks/signature.ts'

const secretOf = (): string => mintSigningSecret((count) => randomBytes(count))
const nowMs = () => Date.now()

test('a secret is `whsec_` and 32 random bytes in base64', () => {
  expect(mintSigningSecret((count) => new Uint8Array(count).fill(255))).toBe(
    `whsec_${Buffer.alloc(32, 255).toString('base64')}`,
  )
  expect(secretOf()).not.toBe(secretOf())
})

test('the library of the standard verifies every body that was signed, and none that was changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (value, extra) => {
      const secret = secretOf()
      const body = JSON.stringify(value)
      const headers = signedHeaders([secret], {
        id: 'evt_01k9ktqv1gfx8r4z6m2d7cwn5e',
        atMs: nowMs(),
        body,
      })
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => new Webhook(secret).verify(body + extra, headers)).toThrow('No matching signature found')
      expect(() => new Webhook(secretOf()).verify(body, headers)).toThrow('No matching signature found')
    }),
    { numRuns: 200 },
  )
})

test('while a secret is rotated, whoever has either of the two verifies', () => {
  const [fresh, former] = [secretOf(), secretOf()]
  const headers = signedHeaders([fresh, former], { id: 'evt_1', atMs: nowMs(), body: '{}' })
  expect(new Webhook(fresh).verify('{}', headers)).toEqual({})
  expect(new Webhook(former).verify('{}', headers)).toEqual({})
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
})

test('what is signed is the id, the second and the body, as the standard says', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const headers = signedHeaders([secret], { id: 'evt_1', atMs: 1_700_000_000_999, body: '{"a":1}' })
  const expected = createHmac('sha256', Buffer.alloc(32, 7))
    .update('evt_1.1700000000.{"a":1}')
    .digest('base64')
  expect(headers).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${expected}`,
  })
})
