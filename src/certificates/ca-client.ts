import { checkServerCertificate } from './check-certificate.ts'
import type { Clock } from '../runtime/clock.ts'
import { readUpTo } from '../runtime/read-up-to.ts'

export interface CaDeps {
  clock: Pick<Clock, 'now' | 'schedule'>
  /** Base URL of the CA. */
  from: string
  fetch: typeof fetch
}

/** Why a CA gave no certificate. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
}

/** Larger requests are refused by the CA; ours have 600 bytes. */
const maxAnswerBytes = 64 * 1024
const pollEveryMs = 1_000
/** The CA decides within seconds, or a person does later: the next attempt is a new request. */
const maxPolls = 60
const answerWithinMs = 10_000

/**
 * Asks the CA for a certificate: `POST /csr`, then `GET /csr/<id>` each second for a minute. Returns the chain in
 * PEM, verified to be for this address and key. Throws `CertificateRefused` with what the CA answered.
 */
export async function requestCertificate(
  deps: CaDeps,
  wanted: { request: string; address: string; key: string },
): Promise<string> {
  let answer = await ask(deps, '/csr', { type: 'private_server', content: wanted.request })
  const id = answer.request_id ?? ''
  for (let polls = 0; answer.status === 'pending' && polls < maxPolls; polls += 1) {
    if (!/^[\w-]{1,100}$/.test(id))
      throw new CertificateRefused('The CA answered without an ID of the request.')
    await new Promise<void>((resolve) => deps.clock.schedule(pollEveryMs, resolve))
    answer = await ask(deps, `/csr/${id}`)
  }
  if (answer.status === 'pending')
    throw new CertificateRefused('The CA has not decided within a minute. Try again later.')
  if (answer.status !== 'approved' || answer.certificate === undefined)
    throw new CertificateRefused(`The CA denied the request: ${answer.message ?? 'without a reason'}.`)
  const fault = checkServerCertificate(answer.certificate, wanted, deps.clock.now())
  if (fault !== null) throw new CertificateRefused(`The CA sent a certificate that cannot be used: ${fault}`)
  return answer.certificate
}

interface CaAnswer {
  request_id?: string
  status?: string
  message?: string
  certificate?: string
}

async function ask({ from, fetch }: CaDeps, path: string, body?: object): Promise<CaAnswer> {
  let response: Response
  let octets: Buffer | null
  try {
    response = await fetch(from + path, {
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    octets = await readUpTo(response.body ?? withoutBody(), maxAnswerBytes)
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as { code?: string }
    throw new CertificateRefused(`${from} cannot be reached (${code ?? (error as Error).message}).`)
  }
  if (response.status === 429)
    throw new CertificateRefused('The CA accepts one request a minute. Try again in a minute.')
  if (octets === null)
    throw new CertificateRefused(`${from}${path} answered more than ${maxAnswerBytes} bytes.`)
  const read = parse(octets.toString('utf8'))
  if (read === null || !response.ok) {
    const why = read?.message === undefined ? '' : `: ${read.message}`
    throw new CertificateRefused(`${from}${path} answered ${response.status}${why}.`)
  }
  return read
}

async function* withoutBody(): AsyncGenerator<Uint8Array> {}

/** Returns the text members of a JSON object; null for anything else, such as the HTML of a proxy. */
function parse(text: string): CaAnswer | null {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== 'object' || read === null) return null
    return Object.fromEntries(Object.entries(read).filter(([, value]) => typeof value === 'string'))
  } catch {
    return null
  }
}
