import { createHash, createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { Callback } from '../../src/connectors/http/callbacks/callback.ts'
import { isSignedJwt } from '../../src/connectors/http/callbacks/jwt.ts'
import { contentOf } from '../../src/connectors/http/callbacks/signed-content.ts'
import { verifyCallback } from '../../src/connectors/http/callbacks/verify.ts'
import type { Verify } from '../../src/connectors/http/declaration/proof-schemas.ts'

const nowMs = Date.parse('2026-11-27T12:00:00Z')
const filler = { read: (name: string) => (name === 'key' ? 'secret' : null), isMasked: () => false }
const callOf = (body: string, headers: Record<string, string>): Callback => ({
  method: 'POST',
  url: 'https://sms.example/providers/v1/hook/status',
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(body),
})
/** As a provider writes it: with blanks, an escape and a number that no parser writes again so. */
const body = '{ "text": "caf\\u00e9", "n": 1.0 }\n'

test('a signature is over the octets that arrived, not over what they mean', () => {
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  const verify = {
    hmac: { algorithm: 'sha256', key: '{key}', header: 'x-sign', as: 'hex' as const, over: ['body'] },
  }
  expect(verifyCallback(verify, callOf(body, { 'x-sign': signature }), { filler, nowMs })).toBe('proven')
  expect(
    verifyCallback(verify, callOf(body.replace('1.0', '1'), { 'x-sign': signature }), { filler, nowMs }),
  ).toBe('forged')
  expect(verifyCallback(verify, callOf(body, {}), { filler, nowMs })).toBe('forged')
})

test('Standard Webhooks are taken as their own library signs them, for five minutes', () => {
  const key = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  const signature = new Webhook(key).sign('evt_1', new Date(nowMs), body)
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(nowMs / 1000),
    'webhook-signature': `v1,AAAA ${signature}`,
  }
  const given = { filler: { ...filler, read: () => key }, nowMs }
  const verify = { standard_webhooks: { key: '{key}' } }
  expect(verifyCallback(verify, callOf(body, headers), given)).toBe('proven')
  expect(verifyCallback(verify, callOf(`${body} `, headers), given)).toBe('forged')
  expect(verifyCallback(verify, callOf(body, headers), { ...given, nowMs: nowMs + 301_000 })).toBe('forged')
  expect(verifyCallback(verify, callOf(body, headers), { ...given, nowMs: nowMs - 301_000 })).toBe('forged')
})

test('without the key that it would be verified with, only the address of a call is its proof', () => {
  const verify = {
    hmac: { algorithm: 'sha256', key: '{missing}', header: 'x-sign', as: 'hex' as const, over: ['body'] },
  }
  expect(verifyCallback(verify, callOf(body, { 'x-sign': 'anything' }), { filler, nowMs })).toBe('unproven')
  expect(verifyCallback('none', callOf(body, {}), { filler, nowMs })).toBe('unproven')
})

test('Basic credentials are compared whole', () => {
  const verify = { basic: ['user', '{key}'] }
  const login = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  expect(verifyCallback(verify, callOf(body, login('user:secret')), { filler, nowMs })).toBe('proven')
  for (const text of ['user:secre', 'user:secret2', 'User:secret', ''])
    expect(verifyCallback(verify, callOf(body, login(text)), { filler, nowMs })).toBe('forged')
})

test('a token counts only with HS256, its key, its time and the hash of the body', () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokenOf = (head: object, claims: object, key = 'secret'): string => {
    const signed = `${part(head)}.${part(claims)}`
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  const hash = createHash('sha256').update(body).digest('hex')
  const fine = { exp: nowMs / 1000 + 60, payload_hash: hash }
  const takes = (token: string): boolean =>
    isSignedJwt(token, { key: 'secret', nowMs, body: Buffer.from(body), hashClaim: 'payload_hash' })
  expect(takes(tokenOf({ alg: 'HS256' }, fine))).toBe(true)
  const wrong = [
    tokenOf({ alg: 'HS256' }, fine, 'other'),
    tokenOf({ alg: 'none' }, fine),
    `${part({ alg: 'none' })}.${part(fine)}.`,
    tokenOf({ alg: 'RS256' }, fine),
    tokenOf({ alg: 'HS256' }, { ...fine, exp: nowMs / 1000 - 301 }),
    tokenOf({ alg: 'HS256' }, { ...fine, nbf: nowMs / 1000 + 301 }),
    tokenOf({ alg: 'HS256' }, { exp: fine.exp }),
    tokenOf({ alg: 'HS256' }, { ...fine, payload_hash: '0'.repeat(64) }),
    '',
    'a.b.c.d',
  ]
  expect(wrong.map(takes)).toEqual(wrong.map(() => false))
})

test('what is not signed says nothing: neither a body beside the query or the form, nor a query beside the body', () => {
  const hmacOver = (over: string[], signed: string) => ({
    verify: { hmac: { algorithm: 'sha256', key: '{key}', header: 'x-sign', as: 'hex' as const, over } },
    sign: { 'x-sign': createHmac('sha256', 'secret').update(signed).digest('hex') },
  })
  const { url } = callOf('', {})
  const form = 'a=1&b=2'
  const forged = '{"MessageStatus":"delivered"}'
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
  // Twilio, Plivo, and others: genuine over the query, an empty form or the members.
  const overQuery = [
    { ...hmacOver(['url', 'form_sorted'], `${url}?a=1`), genuine: '', more: {} },
    { ...hmacOver(['url', 'form_sorted'], `${url}?a=1a1b2`), genuine: form, more: asForm },
    { ...hmacOver(['url_sorted', 'form_sorted'], `${url}?a=1`), genuine: '', more: {} },
    { ...hmacOver(['query_sorted'], 'a1'), genuine: '', more: {} },
  ]
  for (const { verify, sign, genuine, more } of overQuery) {
    const call = (text: string, headers = {}) => ({ ...callOf(text, { ...sign, ...headers }), url: `${url}?a=1` })
    const proofs = [call(genuine, more), call(forged), call(`[${forged}]`), call('<xml/>'), call(forged, asForm)].map((each) => verifyCallback(verify, each, { filler, nowMs }))
    expect(proofs).toEqual(['proven', 'forged', 'forged', 'forged', 'forged'])
  }
  // A list or an object is not among the signed members (Vonage).
  const members = hmacOver(['members_joined'], '&text=')
  const said = (text: string) => verifyCallback(members.verify, callOf(text, members.sign), { filler, nowMs })
  expect(['{"text":""}', '{"text":["x"]}', '{"text":{"0":"x"}}'].map(said)).toEqual(['proven', 'forged', 'forged'])
  // Whatever is added to the query of a signed body is not read.
  const overBody = hmacOver(['body'], body)
  const key = 'secret'
  const signers: Verify[] = [overBody.verify, { standard_webhooks: { key } }, { jwt: { key, header: 'x', body_hash: 'hash' } }]
  const added = { ...callOf(body, overBody.sign), url: `${url}?MessageStatus=delivered` }
  expect(verifyCallback(overBody.verify, added, { filler, nowMs })).toBe('proven')
  for (const verify of signers) expect(contentOf(verify, added)).toEqual({ text: 'café', n: 1 })
  expect(contentOf({ basic: ['user', '{key}'] }, added)).toMatchObject({ MessageStatus: 'delivered' })
}) // prettier-ignore

test('a token that repeats the body is read in place of it, and a call without one has its body alone', () => {
  const verify: Verify = { jwt: { key: 'secret', header: 'x', content: 'claims' } }
  const said = Buffer.from('{"text":"Yes"}').toString('base64url')
  const beside = (token: string): unknown => contentOf(verify, callOf('{"text":"STOP"}', { x: token }))
  expect([`e30.${said}.c2ln`, `Bearer e30.${said}.c2ln`].map(beside)).toEqual([{ text: 'Yes' }, { text: 'Yes' }])
  expect(['', 'e30', 'e30.nothing.c2ln'].map(beside)).toEqual([{ text: 'STOP' }, { text: 'STOP' }, { text: 'STOP' }])
}) // prettier-ignore
