import {
  createHash,
  createHmac,
  createPublicKey,
  timingSafeEqual,
  verify as verifySignature,
} from 'node:crypto'
import { findText } from '../declaration/pointer.ts'
import type { Verify } from '../declaration/proof-schemas.ts'
import { writeDigest } from '../request/authorize.ts'
import { type Filler, fillText } from '../request/fill-tree.ts'
import { type Callback, documentOf } from './callback.ts'
import { isSignedJwt } from './jwt.ts'
import { contentOf, isBodySigned, type JwtProof, tokenIn } from './signed-content.ts'
import { signedPieces } from './signed-pieces.ts'
import { certificateUrlOf, isSignedBySns } from './sns.ts'

/** Whether a call is the provider's. `unproven`: nothing but its address proves it, as configured. */
export type Proof = 'proven' | 'unproven' | 'forged'

const algorithms: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512'])
/** A signature that has no key yet proves nothing; the address of the call alone has its MAC. */
const noKey: Proof = 'unproven'
const proofOf = (isGenuine: boolean): Proof => (isGenuine ? 'proven' : 'forged')

/**
 * Verifies a call by the scheme of its declaration, over the octets that arrived and in constant time; a body that is not
 * signed is forged, such as JSON where a form is. Where the key is a secret that the device does not have, the address of
 * the call is its only proof. `certificate` is that of Amazon SNS.
 */
export function verifyCallback(
  verify: Verify,
  callback: Callback,
  given: Given & { certificate?: string | null },
): Proof {
  const proof = proofBy(verify, callback, given)
  return proof === 'proven' && !isBodySigned(verify, callback) ? 'forged' : proof
}

function proofBy(
  verify: Verify,
  callback: Callback,
  { filler, nowMs, certificate = null }: Given & { certificate?: string | null },
): Proof {
  if (verify === 'none') return 'unproven'
  if ('sns' in verify) {
    const topic = filled(filler, verify.sns.topic)
    if (topic === null) return noKey
    const isTheirs = certificateUrlOf(topic, callback) !== null && certificate !== null
    return proofOf(isTheirs && isSignedBySns(topic, callback, certificate))
  }
  if ('hmac' in verify) return verifyHmac(verify, callback, { filler, nowMs })
  if ('ed25519' in verify) return verifyEd25519(verify.ed25519, callback, { filler, nowMs })
  if ('jwt' in verify) return verifyJwt(verify.jwt, callback, { filler, nowMs })
  if ('standard_webhooks' in verify)
    return verifyStandard(verify.standard_webhooks.key, callback, { filler, nowMs })
  const [user, password] = verify.basic.map((text) => filled(filler, text))
  if (user === null || password === null || user === undefined || password === undefined) return noKey
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return proofOf(isSame(callback.headers['authorization'] ?? '', wanted))
}

interface Given {
  filler: Filler
  nowMs: number
}

type Hmac = Extract<Verify, { hmac: unknown }>

function verifyHmac(verify: Hmac, callback: Callback, { filler, nowMs }: Given): Proof {
  const { key: keyText, algorithm: algorithmText, header, member, as, over, age } = verify.hmac
  const [key, algorithm] = [filled(filler, keyText), filled(filler, algorithmText)]
  if (key === null || algorithm === null) return noKey
  const given =
    header === undefined
      ? member === undefined
        ? null
        : findText(documentOf(callback), member)
      : callback.headers[header.toLowerCase()]
  if (given === null || given === undefined) return 'forged'
  if (age !== undefined) {
    const time =
      age.header === undefined
        ? findText(contentOf(verify, callback), age.member ?? '/timestamp')
        : callback.headers[age.header.toLowerCase()]
    if (!isRecent(time, age.most_s, nowMs)) return 'forged'
  }
  // Some providers sign with several keys, and separate the signatures by commas.
  const normal = (text: string): string => (as === 'base64' ? text : text.toLowerCase())
  const signatures = given.split(',').map((each) => normal(each.trim()))
  const isGenuine = urlsOf(callback.url).some((url) => {
    const signed = signedPieces(over, { ...callback, url }, { filler, without: member })
    const digest = digestOf(algorithm, key, signed)
    return digest !== null && signatures.some((each) => isSame(each, normal(writeDigest(digest, as))))
  })
  return proofOf(isGenuine)
}

/** Twilio signs the URL with its port or without, and with the usual one where there is none (twilio-python #392). */
function urlsOf(url: string): string[] {
  const [, scheme = '', host = '', port, rest = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/.exec(url) ?? []
  if (scheme === '') return [url]
  const other = port === undefined ? (scheme === 'https' ? ':443' : ':80') : ''
  return [url, `${scheme}://${host}${other}${rest}`]
}

/** `md5hash` is no HMAC: the key is the end of what is hashed. */
function digestOf(algorithm: string, key: string, signed: string): Buffer | null {
  if (algorithm === 'md5hash') return createHash('md5').update(signed).update(key).digest()
  return algorithms.has(algorithm) ? createHmac(algorithm, key).update(signed).digest() : null
}

/** The octets before a raw Ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

function verifyEd25519(
  {
    public_key: keyText,
    header,
    over,
    time_header: timeHeader,
    age_s: ageSeconds,
  }: Extract<Verify, { ed25519: unknown }>['ed25519'],
  callback: Callback,
  { filler, nowMs }: Given,
): Proof {
  const key = filled(filler, keyText)
  if (key === null) return noKey
  const raw = Buffer.from(key, 'base64')
  if (raw.length !== 32) return 'forged'
  if (
    timeHeader !== undefined &&
    !isRecent(callback.headers[timeHeader.toLowerCase()], ageSeconds ?? defaultAgeSeconds, nowMs)
  )
    return 'forged'
  const signature = Buffer.from(callback.headers[header.toLowerCase()] ?? '', 'base64')
  const signed = Buffer.from(signedPieces(over, callback, { filler }), 'utf8')
  const publicKey = createPublicKey({ key: Buffer.concat([ed25519Prefix, raw]), format: 'der', type: 'spki' })
  return proofOf(signature.length === 64 && verifySignature(null, signed, publicKey, signature))
}

function verifyJwt(
  { key: keyText, header, body_hash: hashClaim }: JwtProof,
  callback: Callback,
  { filler, nowMs }: Given,
): Proof {
  const key = filled(filler, keyText)
  if (key === null) return noKey
  return proofOf(
    isSignedJwt(tokenIn(callback, header), { key, nowMs, body: callback.body, hashClaim: hashClaim ?? null }),
  )
}

/** Standard Webhooks 1.0: HMAC-SHA-256 over ID, time and body, several signatures with blanks between them. */
function verifyStandard(keyText: string, { headers, body }: Callback, { filler, nowMs }: Given): Proof {
  const key = filled(filler, keyText)
  if (key === null) return noKey
  const [id, time] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? '']
  if (!isRecent(time, defaultAgeSeconds, nowMs)) return 'forged'
  const digest = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${time}.`)
    .update(body)
    .digest('base64')
  return proofOf((headers['webhook-signature'] ?? '').split(' ').some((each) => isSame(each, `v1,${digest}`)))
}

const defaultAgeSeconds = 300

/** Returns whether a time, in seconds since 1970, is at most this far from now, either way. */
const isRecent = (time: string | null | undefined, mostSeconds: number, nowMs: number): boolean =>
  time !== null &&
  time !== undefined &&
  /^\d{1,12}$/.test(time) &&
  Math.abs(nowMs / 1_000 - Number(time)) <= mostSeconds

/** Compares in constant time; only the length, which is no secret, shows. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function filled(filler: Filler, text: string): string | null {
  const value = fillText(filler, text)
  return value === null ? null : String(value)
}
