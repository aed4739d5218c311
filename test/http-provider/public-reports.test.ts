import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Inbound, Receipt, Submission } from '../../src/connectors/connector.ts'
import { readAnswer } from '../../src/connectors/http/answers/read-answer.ts'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { createProviderRoutes } from '../../src/connectors/http/callbacks/routes.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { completeSettings } from '../../src/connectors/http/request/build-request.ts'
import { buildSend } from '../../src/connectors/http/request/build-send.ts'
import { measureText } from '../../src/sms/sms-text.ts'
import { submissionOf } from '../contracts/contract-subject.ts'
import { createHmac } from 'node:crypto'

/** What people who integrate such services reported in public; each test names the report. */

const message = (text: string, given: Partial<Submission> = {}): Submission => {
  const { encoding, parts } = measureText(text, 'auto')
  return submissionOf({ text, encoding, parts, ...given })
}
const built = (declaration: Declaration, submission: Submission) =>
  buildSend(
    {
      declaration,
      settings: completeSettings(declaration, {
        api_key: 'abcd1234',
        default_sender: 'Acme',
        account_sid: 'AC1',
      }),
      secrets: { auth_token: 't', api_secret: 's' },
      allowsHost: () => false,
    },
    submission,
    { nowMs: 0, urls: { status: null, inbound: null }, token: null },
  )
const vonageForm = (text: string, given: Partial<Submission> = {}) =>
  Object.fromEntries(new URLSearchParams(built(ownDeclaration('vonage')!, message(text, given)).body ?? ''))
const byQuery: Declaration = {
  format: 1,
  name: 'national',
  title: 'National',
  hosts: ['api.example.com'],
  send: {
    url: 'https://api.example.com/send',
    query: { To: '{to}', From: '{from}', Content: '{text}' },
    answers: [{ status: '200', means: 'accepted' }],
  },
}

/** The routes of a Twilio device behind a proxy that ends TLS: what arrives is plain, and for another host. */
async function openBehindProxy(publicUrl: string) {
  const hooks = createHooks({ current: 'x'.repeat(32), former: [] })
  const stored: { receipts: Receipt[]; inbound: Inbound[] } = { receipts: [], inbound: [] }
  const declaration = ownDeclaration('twilio')!
  const routes = createProviderRoutes({
    hooks,
    clock: { now: () => 0 },
    publicUrl: () => publicUrl,
    ports: {
      called: () => undefined,
      fetchText: async () => null,
      account: async (deviceId) => ({
        deviceId,
        declaration,
        settings: {},
        secrets: { auth_token: '12345' },
      }),
      receipt: async (_, receipt) => void stored.receipts.push(receipt),
      late: async () => undefined,
      inbound: async (_, inbound) => void stored.inbound.push(inbound),
      unparsed: () => undefined,
    },
  })
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(
    async (mounted) =>
      routes.addTo(mounted, {
        respond: (_request, reply, { status, contentType, body }) =>
          void reply.code(status).type(contentType).send(body),
        log: { error: () => undefined },
        noteDevice: () => undefined,
        failedAuthentication: () => 0,
      }),
    { prefix: routes.path },
  )
  /** Calls as Twilio does, which signs `signedUrl`. */
  const call = async (
    end: 'status' | 'inbound',
    params: Record<string, string>,
    signedOrigin = publicUrl,
  ) => {
    const path = `${hooks.pathOf('dev_1')}/${end}`
    const over = Object.keys(params).toSorted().map((name) => name + params[name]).join('') // prettier-ignore
    const signature = createHmac('sha1', '12345').update(`${signedOrigin}${path}${over}`).digest('base64')
    const answer = await app.inject({
      method: 'POST',
      url: path,
      headers: {
        host: '10.0.0.7:8080',
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signature,
      },
      payload: new URLSearchParams(params).toString(),
    })
    return answer.statusCode
  }
  return { call, stored }
}
const receipt = (status: string) => ({ MessageSid: 'SM1', MessageStatus: status, To: '+14155552346' })

test('a lost answer and a 500 are not three messages (elizaOS/eliza #22382)', () => {
  const declaration = ownDeclaration('twilio')!
  for (const status of [500, 502, 503, 504])
    expect(readAnswer(declaration, { status, headers: {}, body: '' })).toMatchObject({ kind: 'unknown' })
})

test('a proxy that ends TLS and changes the host does not break signatures (rdegges/django-twilio #196, twilio/twilio-node #505)', async () => {
  const { call, stored } = await openBehindProxy('https://sms.example.com')
  expect(await call('status', receipt('delivered'))).toBe(204)
  expect(await call('status', receipt('delivered'), 'http://10.0.0.7:8080')).toBe(403)
  expect(stored.receipts).toMatchObject([{ networkId: 'SM1', result: 'delivered' }])
})

test('the port of an address is signed or not, and both are taken (twilio/twilio-python #392)', async () => {
  const withPort = await openBehindProxy('https://sms.example.com:8443')
  expect(await withPort.call('status', receipt('delivered'))).toBe(204)
  expect(await withPort.call('status', receipt('delivered'), 'https://sms.example.com')).toBe(204)
  const without = await openBehindProxy('https://sms.example.com')
  expect(await without.call('status', receipt('delivered'), 'https://sms.example.com:443')).toBe(204)
  expect(await without.call('status', receipt('delivered'), 'https://sms.example.com:444')).toBe(403)
})

test('"sent" after "delivered" changes nothing (twilio-labs/twilio-firebase-extensions PR 21)', async () => {
  const { call, stored } = await openBehindProxy('https://sms.example.com')
  expect(await call('status', receipt('delivered'))).toBe(204)
  expect(await call('status', receipt('sent'))).toBe(204)
  expect(stored.receipts).toHaveLength(1)
})

test('a received text that is delivered again has the name of the first one (elizaOS/eliza #31768)', async () => {
  const { call, stored } = await openBehindProxy('https://sms.example.com')
  const text = {
    MessageSid: 'SM2',
    SmsStatus: 'received',
    From: '+14155552345',
    To: '+14155552346',
    Body: 'Hi',
  }
  expect([await call('inbound', text), await call('inbound', text)]).toEqual([200, 200])
  expect(new Set(stored.inbound.map(({ fingerprint }) => fingerprint))).toEqual(new Set(['SM2']))
})

test('a text in another script is told to be Unicode (Nexmo/nexmo-laravel #5)', () => {
  expect(vonageForm('你好 👍')).toMatchObject({ text: '你好 👍', type: 'unicode' })
})

test('a plain text is not, which would double its price (laravel/vonage-notification-channel PR 69)', () => {
  expect(vonageForm('x'.repeat(100))).toMatchObject({ type: 'text' })
})

test('brackets are in the alphabet of GSM (laravel/vonage-notification-channel #75)', () => {
  expect(vonageForm('Another message [Sender: Ryan]')).toMatchObject({
    type: 'text',
    text: 'Another message [Sender: Ryan]',
  })
})

test('a blank in a query is %20 and a plus sign %2B (Norris1z/hubtel-laravel-sms-channel #3, jookies/jasmin #357)', () => {
  const { url } = built(byQuery, message('This is a demo', { to: '+22675200209' }))
  expect(url).toBe('https://api.example.com/send?To=%2B22675200209&Content=This%20is%20a%20demo')
})

test('a plus sign survives in a form (neil-lobracco/twilio-rs PR 2)', () => {
  const { body } = built(ownDeclaration('twilio')!, message('1+1', { to: '+4915112345678' }))
  expect(body).toContain('To=%2B4915112345678')
  expect(body).toContain('Body=1%2B1')
})

test('a blank in a sender is encoded (infobip/oneapi-python PR 11)', () => {
  const { url } = built(byQuery, message('Hi', { from: 'ACME Inc' }))
  expect(url).toContain('From=ACME%20Inc')
})

test('blanks in JSON stay blanks (pwm-project/pwm #391)', () => {
  const declaration: Declaration = {
    ...byQuery,
    send: { url: 'https://api.example.com/send', json: { body: '{text}' }, answers: byQuery.send.answers },
  }
  expect(built(declaration, message('This is a test.')).body).toBe('{"body":"This is a test."}')
})
