import { minuteMs } from '../../../runtime/clock.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { readDocument } from '../answers/read-document.ts'
import type { Auth } from '../declaration/proof-schemas.ts'
import { findText } from '../declaration/pointer.ts'
import type { BuiltRequest } from './build-request.ts'

type OAuth = Extract<Auth, { oauth: unknown }>['oauth']

/** A token is renewed this long before its end, so that none ends on its way. */
const earlyMs = minuteMs
/** Of a server that does not say how long its token lasts (RFC 6749, section 5.1: `expires_in` is recommended). */
const usualMs = 5 * minuteMs

interface Deps<Failure> {
  tools: Pick<ConnectorTools, 'monotonicMs'>
  oauth: OAuth
  /** Builds the request for a token from its parts. */
  build(form: Readonly<Record<string, string>>, login: readonly string[] | null): BuiltRequest | Failure
  /** Returns the body of the answer; what failed otherwise. */
  send(request: BuiltRequest): Promise<{ status: number; body: string } | Failure>
  refused(status: number): Failure
}

/** The access token of an account (OAuth 2.0, client credentials: RFC 6749, section 4.4), kept in memory alone. */
export class OAuthToken<Failure extends object> {
  readonly #deps: Deps<Failure>
  #token: { text: string; endMs: number } | null = null
  #asking: Promise<string | Failure> | null = null

  constructor(deps: Deps<Failure>) {
    this.#deps = deps
  }

  /** Returns a token that is valid, by one request at a time for all who wait. */
  get(): Promise<string | Failure> {
    const token = this.#token
    if (token !== null && this.#deps.tools.monotonicMs() < token.endMs) return Promise.resolve(token.text)
    this.#asking ??= this.#ask().finally(() => (this.#asking = null))
    return this.#asking
  }

  /** The provider did not accept this token: the next one is asked for. */
  refused(text: string): void {
    if (this.#token?.text === text) this.#token = null
  }

  async #ask(): Promise<string | Failure> {
    const { tools, oauth, build, send, refused } = this.#deps
    const { id, secret, scope, credentials = 'basic' } = oauth
    const form = {
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
      ...(credentials === 'form' && { client_id: id, client_secret: secret }),
    }
    const request = build(form, credentials === 'basic' ? [id, secret] : null)
    if (!('url' in request)) return request
    const askedMs = tools.monotonicMs()
    const answer = await send(request)
    if (!('body' in answer)) return answer
    const document = readDocument(answer.body)
    const text = findText(document, '/access_token')
    if (answer.status !== 200 || text === null) return refused(answer.status)
    const seconds = Number(findText(document, '/expires_in') ?? Number.NaN)
    const lastsMs = Number.isNaN(seconds) ? usualMs : seconds * 1_000
    this.#token = { text, endMs: askedMs + Math.max(0, lastsMs - earlyMs) }
    return text
  }
}
