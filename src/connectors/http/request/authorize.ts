import { createHash, createHmac } from 'node:crypto'
import type { Auth } from '../declaration/proof-schemas.ts'
import { signForAws } from './aws-signature.ts'
import { addQuery, type BuiltRequest, RequestError, requireHeader } from './build-request.ts'
import { type Filler, fillText } from './fill-tree.ts'

interface Given {
  filler: Filler
  /** With `mask`, credentials are shown by their names instead of their values. */
  mask: boolean
  nowMs: number
  /** The access token, for OAuth. */
  token: string | null
}

/** Adds the credentials of an account to a request. Throws a `RequestError` when one is missing or cannot be sent. */
export function authorize(request: BuiltRequest, auth: Auth | undefined, given: Given): BuiltRequest {
  if (auth === undefined) return request
  const fill = (text: string): string => fillCredential(given.filler, text)
  if ('basic' in auth) {
    const login = auth.basic.map(fill).join(':')
    return withHeader(request, 'authorization', `Basic ${given.mask ? login : base64(login)}`)
  }
  if ('bearer' in auth) return withHeader(request, 'authorization', `Bearer ${fill(auth.bearer)}`)
  if ('header' in auth) return withHeader(request, auth.header.name, fill(auth.header.value))
  if ('query' in auth) {
    const members = Object.entries(auth.query).map(([name, text]) => [name, fill(text)] as const)
    return { ...request, url: addQuery(request.url, members) }
  }
  if ('oauth' in auth) {
    // Without one the exchange adds it, which asks for it.
    return given.token === null ? request : withBearer(request, given.token)
  }
  if ('aws' in auth) {
    const { service, region, key_id: keyId, secret } = auth.aws
    const account = { service: fill(service), region: fill(region), keyId: fill(keyId), secret: fill(secret) }
    const signed = signForAws(request, account, given.nowMs)
    return given.mask
      ? { ...request, headers: { ...signed.headers, authorization: 'AWS4-HMAC-SHA256 ‹signature›' } }
      : signed
  }
  return signRequest(request, auth.hmac, given)
}

function signRequest(
  request: BuiltRequest,
  hmac: Extract<Auth, { hmac: unknown }>['hmac'],
  given: Given,
): BuiltRequest {
  const { algorithm, key, over, as, header, value = '{signature}' } = hmac
  const signed = over.map((piece) => pieceOf(request, piece) ?? fillCredential(given.filler, piece)).join('')
  const digest = createHmac(algorithm, fillCredential(given.filler, key)).update(signed).digest()
  const signature = given.mask ? '‹signature›' : writeDigest(digest, as)
  const read = (name: string) => (name === 'signature' ? signature : given.filler.read(name))
  return withHeader(request, header, fillCredential({ ...given.filler, read }, value))
}

/** Returns a named part of a request; null for what is not a name. */
function pieceOf({ method, url, body }: BuiltRequest, piece: string): string | null {
  switch (piece) {
    case 'method':
      return method
    case 'url':
      return url
    case 'path':
      return new URL(url).pathname
    case 'body':
      return body ?? ''
    case 'body_sha256':
      return createHash('sha256')
        .update(body ?? '')
        .digest('hex')
    default:
      return null
  }
}

/** Writes a digest as a signature. */
export const writeDigest = (digest: Buffer, as: 'base64' | 'hex' | 'HEX'): string =>
  as === 'base64'
    ? digest.toString('base64')
    : as === 'hex'
      ? digest.toString('hex')
      : digest.toString('hex').toUpperCase()

/** Returns a credential; one that is missing is a fault and never sent as an empty one. */
function fillCredential(filler: Filler, text: string): string {
  const filled = fillText(filler, text)
  if (filled === null) throw new RequestError(`A setting or secret of ${text} is missing.`)
  return String(filled)
}

function withHeader(request: BuiltRequest, name: string, value: string): BuiltRequest {
  requireHeader(name, value)
  return { ...request, headers: { ...request.headers, [name.toLowerCase()]: value } }
}

/** Adds an access token. */
export const withBearer = (request: BuiltRequest, token: string): BuiltRequest =>
  withHeader(request, 'authorization', `Bearer ${token}`)

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
