import { readDocument } from '../answers/read-document.ts'
import type { Verify } from '../declaration/proof-schemas.ts'
import { type Callback, documentOf, formOf } from './callback.ts'
import { claimsOf } from './jwt.ts'
import { envelopeOf } from './sns.ts'

export type JwtProof = Extract<Verify, { jwt: unknown }>['jwt']

/** Which parts of a call its proof is about: the others may be anybody's. */
interface Signed {
  query: boolean
  body: boolean
}

const everything: Signed = { query: true, body: true }

/** Pieces of a signature that have the query in them. */
const withQuery: readonly string[] = ['url', 'url_sorted', 'query_sorted']

/** Returns whether the proof of a call is about its whole body; a body that is not signed makes the call a forged one. */
export const isBodySigned = (verify: Verify, callback: Callback): boolean => signedIn(verify, callback).body

/** The token of a call, with `Bearer` before it or not; empty where it has none. */
export const tokenIn = ({ headers }: Callback, header: string): string =>
  (headers[header.toLowerCase()] ?? '').replace(/^Bearer /i, '')

/**
 * Returns what a call says, of what is signed. Over SNS that is its envelope, with what was published as JSON where it is
 * some; with a token that repeats the body it is the token, as its signature is about nothing else. A call without one has its body alone;
 * where no key verifies the token, the address of the call proves both alike.
 */
export function contentOf(verify: Verify, callback: Callback): unknown {
  if (typeof verify !== 'string' && 'sns' in verify) {
    const envelope = envelopeOf(callback) ?? {}
    return { ...envelope, Message: readDocument(envelope['Message'] ?? '') }
  }
  if (typeof verify !== 'string' && 'jwt' in verify && verify.jwt.content === 'claims') {
    const claims = claimsOf(tokenIn(callback, verify.jwt.header))
    if (claims !== null) return claims
  }
  const { query } = signedIn(verify, callback)
  return documentOf(query ? callback : { ...callback, url: callback.url.replace(/\?.*$/s, '') })
}

function signedIn(verify: Verify, callback: Callback): Signed {
  // Who knows the address, the login or the token says everything.
  if (verify === 'none' || 'basic' in verify) return everything
  if ('jwt' in verify) return { query: verify.jwt.body_hash === undefined, body: true }
  if ('sns' in verify || 'standard_webhooks' in verify) return { query: false, body: true }
  const { over } = 'hmac' in verify ? verify.hmac : verify.ed25519
  if (over.includes('body')) return { query: over.some(isWithQuery), body: true }
  if (over.includes('members_joined')) {
    const isAll = isFlat(documentOf(callback))
    return { query: isAll, body: isAll }
  }
  const isForm = over.includes('form_sorted') && formOf(callback).length > 0
  return { query: over.some(isWithQuery), body: isForm || callback.body.length === 0 }
}

const isWithQuery = (piece: string): boolean => withQuery.includes(piece)

/** The signature of members has the values of texts and numbers, but nothing of a list or an object. */
const isFlat = (document: unknown): boolean =>
  typeof document === 'object' &&
  document !== null &&
  !Array.isArray(document) &&
  Object.values(document).every((value) => typeof value !== 'object' || value === null)
