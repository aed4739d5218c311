import type { Submission } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { createOutgoing, type Outgoing } from '../../outgoing/create-outgoing.ts'
import { KeptConnections } from '../../outgoing/kept-connections.ts'
import { type SentRequest, sendRequest } from '../../outgoing/send-request.ts'
import { deviceSettings } from '../../settings/device-settings.ts'
import type { HttpAnswer } from './answers/read-answer.ts'
import type { DeclaredRequest } from './declaration/request-schemas.ts'
import type { Filling } from './declaration/filters.ts'
import { generationOf } from './callbacks/hooks.ts'
import { authorize, withBearer } from './request/authorize.ts'
import {
  buildRequest,
  type BuiltRequest,
  fillerOf,
  type ProviderAccount,
  RequestError,
} from './request/build-request.ts'
import { buildSend } from './request/build-send.ts'
import { messageValues } from './request/message-values.ts'
import { OAuthToken } from './request/oauth-token.ts'

/** Why no request could leave: reasons of the health of the device. */
export type NotSentReason =
  | 'unreachable'
  | 'credentials_refused'
  | 'address_refused'
  | 'tls_failed'
  | 'invalid_settings'
  | 'withdrawn'

/** What became known of one request. `unanswered`: the provider may have acted on it. */
export type Exchanged =
  | { kind: 'not_sent'; reason: NotSentReason; detail: string }
  | { kind: 'unanswered'; detail: string }
  | { kind: 'answered'; answer: HttpAnswer }

/** One account at a provider, with the connections to it. */
export interface Exchange {
  declaration: ProviderAccount['declaration']
  /** Builds the request that submits a message; a sentence where the settings do not allow one. */
  buildSubmission(submission: Submission): BuiltRequest | string
  /** Sends a request that was built; asked right before its first octet, `mayWrite` can withdraw it. */
  send(request: BuiltRequest, mayWrite: () => boolean): Promise<Exchanged>
  /** Asks the provider something that submits no message. */
  ask(request: DeclaredRequest, values: Readonly<Record<string, Filling>>): Promise<Exchanged>
  /** Returns the values that a message had at a time, for requests about it. */
  valuesOf(submission: Submission, atMs: number): Readonly<Record<string, Filling>>
  /** Closes the connections that rest. */
  close?(): void
}

interface ExchangeDeps {
  tools: ConnectorTools
  timeoutMs: number
  trace: boolean
  /** Returns certificates in PEM to trust in addition; null for none. Throws if they cannot be read. */
  readCa(): string | null
}

const allowSetting = deviceSettings.providerAllow.env
/** The longest answer that is read; a longer one is not understood. */
const maxAnswerBytes = 64 * 1024

/** Creates the exchange for an account. */
export function createExchange(deps: ExchangeDeps, given: Omit<ProviderAccount, 'allowsHost'>): Exchange {
  const { tools } = deps
  const outgoing = tools.outgoing ?? createOutgoing([], allowSetting)
  const account: ProviderAccount = { ...given, allowsHost: outgoing.allowsHost }
  const { declaration } = account
  const kept = resolvesLostAnswers(declaration) ? new KeptConnections() : undefined
  const bare = (request: BuiltRequest, mayWrite: () => boolean): Promise<Exchanged> =>
    sendGuarded({ ...deps, outgoing, kept }, request, mayWrite)
  const token = createToken(deps, account, bare)
  const send = token === null ? bare : sendWith(token, bare)

  const generation = generationOf(account.settings)
  const urlsOf = ({ attemptId }: Submission) =>
    tools.callbackUrls?.(attemptId, generation) ?? { status: null, inbound: null }
  return {
    declaration,
    close: () => kept?.close(),
    valuesOf: (submission, atMs) => messageValues(submission, { nowMs: atMs, urls: urlsOf(submission) }),
    buildSubmission(submission) {
      const urls = urlsOf(submission)
      return explained(() => buildSend(account, submission, { nowMs: tools.now(), urls, token: null }))
    },
    send,
    async ask(request, values) {
      const whole = explained(() => {
        const filler = fillerOf(account, values, false)
        const built = buildRequest(account, request, filler)
        return authorize(built, declaration.auth, { filler, mask: false, nowMs: tools.now(), token: null })
      })
      if (typeof whole === 'string') return { kind: 'not_sent', reason: 'invalid_settings', detail: whole }
      return send(whole, () => true)
    },
  }
}

/**
 * A kept connection may be closed by the provider while a request leaves, and then nothing is known of it: connections are kept only
 * where a key or a look-up by reference resolves that.
 */
const resolvesLostAnswers = ({ idempotency, lookup }: ProviderAccount['declaration']): boolean =>
  idempotency !== undefined || lookup?.by_reference !== undefined

type Send = Exchange['send']
type NotSent = Exclude<Exchanged, { kind: 'answered' }>

/** Returns the token of an account that logs in by OAuth; otherwise null. */
function createToken(
  { tools }: ExchangeDeps,
  account: ProviderAccount,
  send: Send,
): OAuthToken<NotSent> | null {
  const { auth } = account.declaration
  if (auth === undefined || !('oauth' in auth)) return null
  const notSent = (reason: NotSentReason, detail: string): NotSent => ({ kind: 'not_sent', reason, detail })
  return new OAuthToken<NotSent>({
    tools,
    oauth: auth.oauth,
    build(form, login) {
      const built = explained(() => {
        const filler = fillerOf(account, {}, false)
        const request = buildRequest(account, { url: auth.oauth.url, form: { ...form } }, filler)
        const basic = login === null ? undefined : { basic: [...login] }
        return authorize(request, basic, { filler, mask: false, nowMs: tools.now(), token: null })
      })
      return typeof built === 'string' ? notSent('invalid_settings', built) : built
    },
    async send(request) {
      const exchanged = await send(request, () => true)
      if (exchanged.kind === 'answered') return exchanged.answer
      // That no token came submitted no message.
      return notSent(exchanged.kind === 'not_sent' ? exchanged.reason : 'unreachable', exchanged.detail)
    },
    refused: (status) => notSent('credentials_refused', `no access token: the provider answered ${status}`),
  })
}

/** Sends with a token; one that the provider refuses is renewed once, since what it refuses it did not accept. */
const sendWith =
  (token: OAuthToken<NotSent>, send: Send): Send =>
  async (request, mayWrite) => {
    const first = await token.get()
    if (typeof first !== 'string') return first
    const exchanged = await send(withBearer(request, first), mayWrite)
    if (exchanged.kind !== 'answered' || exchanged.answer.status !== 401) return exchanged
    token.refused(first)
    const second = await token.get()
    return typeof second === 'string' ? send(withBearer(request, second), mayWrite) : second
  }

function explained(build: () => BuiltRequest): BuiltRequest | string {
  try {
    return build()
  } catch (error) {
    if (error instanceof RequestError) return error.message
    throw error
  }
}

async function sendGuarded(
  {
    tools,
    timeoutMs,
    trace,
    readCa,
    outgoing,
    kept,
  }: ExchangeDeps & { outgoing: Outgoing; kept: KeptConnections | undefined },
  request: BuiltRequest,
  mayWrite: () => boolean,
): Promise<Exchanged> {
  const url = new URL(request.url)
  if (url.protocol !== 'https:' && !outgoing.allowsHost(url.hostname.replace(/^\[|\]$/g, '')))
    return {
      kind: 'not_sent',
      reason: 'address_refused',
      detail: `only HTTPS is allowed to ${url.hostname}, unless ${allowSetting} names it`,
    }
  let ca: string | null
  try {
    ca = readCa()
  } catch {
    return { kind: 'not_sent', reason: 'invalid_settings', detail: 'the file of tls_ca_file cannot be read' }
  }
  const ending = new AbortController()
  const cancel = tools.schedule(timeoutMs, () => ending.abort(new Error('timed out')))
  const startedMs = tools.monotonicMs()
  const sent = await sendRequest(
    {
      ...outgoing,
      allowedBy: allowSetting,
      timeoutMs,
      deadline: ending.signal,
      mayWrite,
      maxAnswerBytes,
      kept,
      ...(ca !== null && { ca }),
    },
    { ...request, url },
  )
  cancel()
  if (trace)
    tools.log('info', 'HTTP request', {
      method: request.method,
      path: masked(url.pathname),
      outcome: sent.kind === 'answered' ? sent.status : sent.kind,
      ms: Math.round(tools.monotonicMs() - startedMs),
    })
  return exchangedOf(sent)
}

/** A path may contain a number: of six or more digits, only the last three are kept. */
const masked = (path: string): string =>
  path.replaceAll(/\d{3,}(?=\d{3})/g, (digits) => '*'.repeat(digits.length))

const reasons = {
  address_refused: 'address_refused',
  name_not_found: 'unreachable',
  not_connected: 'unreachable',
  timed_out: 'unreachable',
  tls_failed: 'tls_failed',
  withdrawn: 'withdrawn',
} as const

function exchangedOf(sent: SentRequest): Exchanged {
  switch (sent.kind) {
    case 'not_sent':
      return { kind: 'not_sent', reason: reasons[sent.because], detail: `${sent.because}: ${sent.detail}` }
    case 'unanswered':
      return sent
    case 'answered': {
      const { status, headers, body } = sent
      return { kind: 'answered', answer: { status, headers, body } }
    }
  }
}
