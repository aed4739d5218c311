import { createHash, createHmac } from 'node:crypto'
import type { BuiltRequest } from './build-request.ts'

interface AwsAccount {
  service: string
  region: string
  keyId: string
  secret: string
}

/**
 * Signs a request for AWS (Signature Version 4, "Create a signed AWS API request" of the IAM User Guide): over method, path,
 * query, the headers that are sent, and the hash of the body.
 */
export function signForAws(request: BuiltRequest, account: AwsAccount, nowMs: number): BuiltRequest {
  const at = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const url = new URL(request.url)
  const headers: Record<string, string> = { ...request.headers, host: url.host, 'x-amz-date': at }
  const names = Object.keys(headers).toSorted()
  const scope = [at.slice(0, 8), account.region, account.service, 'aws4_request']
  const canonical = [
    request.method,
    encodePath(url.pathname),
    canonicalQuery(url),
    ...names.map((name) => `${name}:${(headers[name] as string).trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    sha256(request.body ?? ''),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${account.secret}`)
  const signature = hmac(key, toSign).toString('hex')
  const { host: _, ...sent } = headers
  return {
    ...request,
    headers: {
      ...sent,
      authorization: `AWS4-HMAC-SHA256 Credential=${account.keyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
    },
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Each segment is encoded once more than it is in the request; S3 alone does not do so. */
const encodePath = (path: string): string => path.split('/').map(encode).join('/')

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map((pair) => pair.map(encode).join('='))
    .toSorted()
    .join('&')

/** RFC 3986 encodes five characters more than `encodeURIComponent`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
