import { checkServerCertificate } from './check-certificate.ts'
import { makeRequest } from './make-certificates.ts'
import {
  type PendingRequest,
  readPendingRequest,
  removePendingRequest,
  storePendingRequest,
} from './pending-request.ts'
import { type Clock, dayMs } from '../runtime/clock.ts'
import { plainText } from '../runtime/plain-text.ts'
import { readUpTo } from '../runtime/read-up-to.ts'

export interface CaDeps {
  /** Where a request is kept until it is decided. */
  dataFolder: string
  clock: Pick<Clock, 'now' | 'schedule'>
  /** Base URL of the CA. */
  from: string
  fetch: typeof fetch
  /** Ends waiting for the CA: the request is kept, and the next attempt asks for it. Omitted: nothing ends it. */
  signal?: AbortSignal
}

/** Why a CA gave no certificate. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
}

/** Larger requests are refused by the CA; ours have 600 bytes. */
const maxAnswerBytes = 64 * 1024
const pollEveryMs = 1_000
/** The CA decides within seconds, or a person does later: then the next attempt asks for the same request. */
const maxPolls = 60
const answerWithinMs = 10_000
/** The CA accepts one POST a minute. */
const betweenPostsMs = 60_000
/** A request that the CA has not decided for so long is replaced by a new one. */
const longestPendingMs = 30 * dayMs

/**
 * Asks the CA for a certificate: `POST /csr`, then `GET /csr/<id>` each second for a minute. A request that is
 * still pending then is kept over restarts: the next attempt asks for it by its ID. Returns the chain in PEM with
 * its key, verified to be for this address; the request is kept until `removePendingRequest`, which belongs after the
 * certificate is stored. Throws `CertificateRefused` with what the CA answered.
 */
export async function requestCertificate(
  deps: CaDeps,
  address: string,
): Promise<{ certificate: string; key: string }> {
  const { clock, dataFolder } = deps
  const nowMs = clock.now()
  const kept = await readPendingRequest(dataFolder)
  const ageMs = kept === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs - kept.postedAtMs)
  const isSame = kept !== null && kept.address === address && ageMs < longestPendingMs
  const known = isSame && kept.id !== null ? { pending: kept, id: kept.id } : null
  const first = known === null ? null : await ask(deps, `/csr/${known.id}`, { missing: 'is fine' })
  if (known !== null && first !== null) return decide(deps, known, first)
  // Also where the answer to the last one was lost: the CA would refuse it, and count it.
  if (kept !== null && kept.id === null && ageMs < betweenPostsMs) throw new CertificateRefused(tooSoon)
  const made = isSame && known === null ? kept : { address, ...makeRequest(address) }
  const pending = { ...made, id: null, postedAtMs: nowMs }
  await storePendingRequest(dataFolder, pending)
  const answer = await ask(deps, '/csr', { body: { type: 'private_server', content: pending.request } })
  const id = answer?.request_id ?? ''
  if (answer === null || (answer.status === 'pending' && !/^[\w-]{1,100}$/.test(id)))
    throw new CertificateRefused('The CA answered without an ID of the request.')
  if (answer.status === 'pending') await storePendingRequest(dataFolder, { ...pending, id })
  return decide(deps, { pending, id }, answer)
}

const tooSoon = 'The CA accepts one request a minute. Try again in a minute.'

/** Waits for the decision about a request, for a minute at most. */
async function decide(
  deps: CaDeps,
  { pending, id }: { pending: PendingRequest; id: string },
  first: CaAnswer,
): Promise<{ certificate: string; key: string }> {
  let answer: CaAnswer | null = first
  for (let polls = 0; answer?.status === 'pending' && polls < maxPolls; polls += 1) {
    await pause(deps)
    answer = await ask(deps, `/csr/${id}`)
  }
  if (answer?.status === 'pending')
    throw new CertificateRefused(
      'The CA has not decided within a minute. The request is kept: the next attempt asks for it again.',
    )
  const { certificate } = answer?.status === 'approved' ? answer : {}
  const fault =
    certificate === undefined ? null : checkServerCertificate(certificate, pending, deps.clock.now())
  if (certificate !== undefined && fault === null) return { certificate, key: pending.key }
  await removePendingRequest(deps.dataFolder)
  throw new CertificateRefused(
    fault === null
      ? `The CA denied the request: ${answer?.message ?? 'without a reason'}.`
      : `The CA sent a certificate that cannot be used: ${fault}`,
  )
}

/** Waits until the next question. */
async function pause({ clock, signal }: CaDeps): Promise<void> {
  requireRunning(signal)
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = (): void => resolve()
  const cancel = clock.schedule(pollEveryMs, wake)
  signal?.addEventListener('abort', wake)
  await promise
  signal?.removeEventListener('abort', wake)
  cancel()
  requireRunning(signal)
}

function requireRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new CertificateRefused('The server stops. The request is kept: the next attempt asks for it again.')
}

interface CaAnswer {
  request_id?: string
  status?: string
  message?: string
  certificate?: string
}

/** Returns the answer of the CA; null for 404 where that is expected: it no longer knows the request. */
async function ask(
  { from, fetch, signal }: CaDeps,
  path: string,
  { body, missing }: { body?: object; missing?: 'is fine' } = {},
): Promise<CaAnswer | null> {
  let response: Response
  let octets: Buffer | null
  try {
    response = await fetch(from + path, {
      redirect: 'error',
      signal: AbortSignal.any([
        AbortSignal.timeout(answerWithinMs),
        ...(signal === undefined ? [] : [signal]),
      ]),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    octets = await readUpTo(response.body ?? withoutBody(), maxAnswerBytes)
  } catch (error) {
    requireRunning(signal)
    const { code } = ((error as Error).cause ?? error) as { code?: string }
    throw new CertificateRefused(`${from} cannot be reached (${code ?? (error as Error).message}).`)
  }
  if (response.status === 404 && missing !== undefined) return null
  if (response.status === 429) throw new CertificateRefused(tooSoon)
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

/** Returns the text members of a JSON object, which can be shown; null for anything else, such as the HTML of a proxy. */
function parse(text: string): CaAnswer | null {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== 'object' || read === null) return null
    return Object.fromEntries(
      Object.entries(read).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, plainText(value)]] : [],
      ),
    )
  } catch {
    return null
  }
}
