import { createSign, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Callback } from '../../src/connectors/http/callbacks/callback.ts'
import { keepCertificates } from '../../src/connectors/http/callbacks/certificates.ts'
import { handleInbound, handleStatus } from '../../src/connectors/http/callbacks/handle-call.ts'
import type { ProviderPorts } from '../../src/connectors/http/callbacks/ports.ts'
import { verifyCallback } from '../../src/connectors/http/callbacks/verify.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { createStubClock } from '../stub-clock.ts'

/**
 * Calls of Amazon SNS. What is signed, and in which order: "Verifying the signatures of Amazon SNS messages" of the SNS Developer Guide; the
 * examples of the declaration `aws` are checked by sns-validator 0.3.5, and moto.test.ts has a foreign signer.
 */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const topic = 'arn:aws:sns:eu-central-1:123456789012:sms'
const certificateUrl = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem'

type Members = Record<string, string>
const notification: Members = {
  Type: 'Notification',
  MessageId: 'm1',
  TopicArn: topic,
  Message: JSON.stringify({
    eventType: 'TEXT_DELIVERED',
    messageId: 'id-1',
    context: { reference: 'att_1' },
  }),
  Timestamp: '2026-11-28T02:00:00.000Z',
  SignatureVersion: '2',
  SigningCertURL: certificateUrl,
}
const confirmation: Members = {
  ...notification,
  Type: 'SubscriptionConfirmation',
  Token: 't1',
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t1',
}

/** Signed as it is, and then with members that another put in. */
function callOf(members: Members, changed: Members = {}): Callback {
  const order =
    members['Type'] === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const signer = createSign(members['SignatureVersion'] === '1' ? 'RSA-SHA1' : 'RSA-SHA256')
  for (const name of order) if (members[name] !== undefined) signer.update(`${name}\n${members[name]}\n`)
  const body = { ...members, Signature: signer.sign(privateKey, 'base64'), ...changed }
  const headers = { 'content-type': 'text/plain; charset=UTF-8' }
  return { method: 'POST', url: 'https://sms.example/x', headers, body: Buffer.from(JSON.stringify(body)) }
}

const filler = { read: (name: string) => (name === 'topic' ? topic : null), isMasked: () => false }
const proofOf = (call: Callback, certificate: string | null = pem): string =>
  verifyCallback({ sns: { topic: '{topic}' } }, call, { filler, nowMs: 0, certificate })

test('both versions of signatures are taken, with and without a subject, and over members that JSON escapes', () => {
  for (const SignatureVersion of ['1', '2'])
    for (const more of [{}, { Subject: 'é "x"' }])
      expect(proofOf(callOf({ ...notification, SignatureVersion, ...more }))).toBe('proven')
  expect(proofOf(callOf(confirmation))).toBe('proven')
})

const forgeries: readonly [name: string, members: Members, changed: Members][] = [
  ['another text', notification, { Message: '{}' }],
  ['a subject that was not signed', notification, { Subject: 'x' }],
  ['another topic', notification, { TopicArn: `${topic}2` }],
  ['a topic of another account that signs', { ...notification, TopicArn: topic.replace('12', '21') }, {}],
  ['another version', notification, { SignatureVersion: '1' }],
  ['no known version', notification, { SignatureVersion: '3' }],
  ['another address to confirm', confirmation, { SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?x' }],
  ...[
    'http://sns.eu-central-1.amazonaws.com/x.pem',
    'https://sns.us-east-1.amazonaws.com/x.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.example/x.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/x.pem',
    'https://sns.eu-central-1.amazonaws.com@evil.example/x.pem',
    'https://evil.s3.eu-central-1.amazonaws.com/x.pem',
    'https://sns.eu-central-1.amazonaws.com/x.txt',
    'https://sns.eu-central-1.amazonaws.com.cn/x.pem',
    'x.pem',
  ].map((url): [string, Members, Members] => [
    `the certificate of ${url}`,
    notification,
    { SigningCertURL: url },
  ]),
]
test.for(forgeries)('a call with %s is forged', ([, members, changed]) => {
  expect(proofOf(callOf(members, changed))).toBe('forged')
})

test('without a certificate, or with what is none, nothing is proven', () => {
  expect(proofOf(callOf(notification), null)).toBe('forged')
  expect(proofOf(callOf(notification), '<html>')).toBe('forged')
})

function openAccount(fetched: (url: string) => string | null = () => pem) {
  const seen: { asked: string[]; stored: unknown[] } = { asked: [], stored: [] }
  const ports: ProviderPorts = {
    account: async () => null,
    called: () => undefined,
    receipt: async (_device, receipt) => void seen.stored.push(receipt),
    late: async () => undefined,
    inbound: async (_device, inbound) => void seen.stored.push(inbound),
    unparsed: (_device, _kind, form) => void seen.stored.push(form),
    async fetchText({ href }) {
      seen.asked.push(href)
      return fetched(href)
    },
  }
  const declaration = ownDeclaration('aws')!
  const settings = { topic_arn: topic, inbound_topic_arn: topic }
  const clock = createStubClock()
  const certificates = keepCertificates(ports.fetchText, clock)
  const account = { deviceId: 'dev_1', declaration, settings, secrets: {} }
  const call = (on: typeof handleStatus, callback: Callback) =>
    on({ ports, certificates, nowMs: clock.now() }, account, callback, null)
  return { seen, clock, call }
}

test('a certificate is fetched once a day, and a receipt in it is stored', async () => {
  const { seen, clock, call } = openAccount()
  expect(await call(handleStatus, callOf(notification))).toMatchObject({ status: 200 })
  expect(await call(handleStatus, callOf(notification))).toMatchObject({ status: 200 })
  expect(seen.asked).toEqual([certificateUrl])
  expect(seen.stored).toMatchObject([{ networkId: 'id-1', result: 'delivered' }, { networkId: 'id-1' }])
  await clock.advance(24 * 3_600_000)
  await call(handleStatus, callOf(notification))
  expect(seen.asked).toEqual([certificateUrl, certificateUrl])
})

test('a certificate that cannot be fetched is no forgery: the provider calls again, and it is fetched again', async () => {
  let isDown = true
  const { seen, call } = openAccount(() => (isDown ? null : pem))
  await expect(call(handleStatus, callOf(notification))).rejects.toThrow('No certificate could be fetched')
  isDown = false
  expect(await call(handleStatus, callOf(notification))).toMatchObject({ status: 200 })
  expect(seen.stored).toHaveLength(1)
})

test.for([
  ['receipts', handleStatus],
  ['received messages', handleInbound],
] as const)('a subscription for %s confirms itself by a visit, and stores nothing', async ([, on]) => {
  const { seen, call } = openAccount()
  expect(await call(on, callOf(confirmation))).toMatchObject({ status: 200 })
  expect(seen).toEqual({ asked: [certificateUrl, confirmation['SubscribeURL']], stored: [] })
})

test('no address is visited for a forged confirmation, or on another host, or when a subscription ends', async () => {
  const elsewhere = 'https://evil.example/?Action=ConfirmSubscription'
  const { seen, call } = openAccount()
  expect(await call(handleStatus, callOf(confirmation, { SubscribeURL: elsewhere }))).toBeNull()
  expect(await call(handleStatus, callOf({ ...confirmation, SubscribeURL: elsewhere }))).toMatchObject({
    status: 200,
  })
  const ended = { ...confirmation, Type: 'UnsubscribeConfirmation' }
  expect(await call(handleStatus, callOf(ended))).toMatchObject({ status: 200 })
  expect(seen).toEqual({ asked: [certificateUrl], stored: [] })
})

test('a subscription that cannot be confirmed now is asked for again', async () => {
  const { call } = openAccount((url) => (url.endsWith('.pem') ? pem : null))
  await expect(call(handleStatus, callOf(confirmation))).rejects.toThrow('could not be confirmed')
})
