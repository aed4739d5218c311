import { createVerify } from 'node:crypto'
import { readDocument } from '../answers/read-document.ts'
import type { Callback } from './callback.ts'

/** What Amazon SNS posts: its own members, of which `Message` is what was published. */
type Envelope = Readonly<Record<string, string | undefined>>

/** The members that are signed, in their order; those that are absent are not (sns-validator 0.3.5). */
const signedOf = (type: string | undefined): readonly string[] =>
  type === 'Notification'
    ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
    : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

const hashes: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }
const topicForm = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[A-Za-z0-9_.-]{1,256}$/

/** Returns the envelope of a call; null where the body is none. Only the body is signed, so nothing else is read. */
export function envelopeOf({ body }: Pick<Callback, 'body'>): Envelope | null {
  const document = readDocument(body.toString('utf8'))
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return null
  const texts = Object.entries(document).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(texts) as Envelope
}

/** Returns a URL of the SNS of the region of a topic, over HTTPS; otherwise null. */
function urlOfTopic(topic: string, text: string | undefined): URL | null {
  const [, partition, region] = topicForm.exec(topic) ?? []
  if (region === undefined || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  const isThere = url.protocol === 'https:' && url.host === host && url.username === '' && url.password === ''
  return isThere ? url : null
}

/** Returns where the certificate of a call about a topic is; null where it would not be that of SNS. */
export function certificateUrlOf(topic: string, callback: Callback): URL | null {
  const envelope = envelopeOf(callback)
  const url = envelope?.['TopicArn'] === topic ? urlOfTopic(topic, envelope['SigningCertURL']) : null
  return url?.pathname.endsWith('.pem') === true ? url : null
}

/** Returns the URL that confirms a subscription, where a genuine call asks for that; otherwise null. */
export function confirmationUrlOf(topic: string, callback: Callback): URL | null {
  const envelope = envelopeOf(callback)
  return envelope?.['Type'] === 'SubscriptionConfirmation'
    ? urlOfTopic(topic, envelope['SubscribeURL'])
    : null
}

/** Returns whether a call carries something that was published, as opposed to news about the subscription. */
export const isPublished = (callback: Callback): boolean => envelopeOf(callback)?.['Type'] === 'Notification'

/**
 * Returns whether a call about a topic is signed with a certificate in PEM, by version 1 or 2 ("Verifying the signatures of Amazon
 * SNS messages" of the SNS Developer Guide).
 */
export function isSignedBySns(topic: string, callback: Callback, certificate: string): boolean {
  const envelope = envelopeOf(callback)
  const hash = hashes[envelope?.['SignatureVersion'] ?? '']
  if (envelope?.['TopicArn'] !== topic || hash === undefined) return false
  const signed = signedOf(envelope['Type']).flatMap((name) =>
    envelope[name] === undefined ? [] : [`${name}\n${envelope[name]}\n`],
  )
  try {
    const verifier = createVerify(hash).update(signed.join(''))
    return verifier.verify(certificate, envelope['Signature'] ?? '', 'base64')
  } catch {
    // What is no certificate has signed nothing.
    return false
  }
}
