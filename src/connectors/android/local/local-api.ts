import type { ConnectorTools } from '../../connector-tools.ts'
import { isSince } from '../app-version.ts'
import { writeDate } from '../dates.ts'
import type { Offer, SaidSim } from '../ports.ts'
import { readSims } from '../registration.ts'
import { isRecord, textOf } from '../route.ts'
import type { LocalAddress } from './local-address.ts'
import { exchange, type LocalAnswer, type LocalRequest } from './local-http.ts'
import { VisitFailed } from './visit-failed.ts'

/** The inbox can be read since this version of the app. */
const oldestVisited = '1.59.0'
/** The limit of the app's own server for a name. */
const maxNameLength = 128
const maxIdLength = 64
const maxReasonLength = 200
/** Later than any date of a phone: without an end the app leaves out what its own clock calls the future. */
const endOfTime = '2100-01-01T00:00:00.000Z'

export interface LocalApiDeps {
  tools: Pick<ConnectorTools, 'schedule'>
  address: LocalAddress
  user: string
  password: string
  /** False ends the visit before its next call. */
  mayCall: () => boolean
  /** Receives the clock of the phone with each answer. */
  saw?: (phoneMs: number) => void
}

/** An entry for a message: `id`, `state`, `recipients`, `states`. */
export type MessageEntry = Record<string, unknown>

/**
 * The outcome of a submission. `has`: the phone has the message, once (202, or 409 for an ID that it knows);
 * `refused`: it rejected it before storing it; `unclear`: neither is certain.
 */
export type PostResult =
  | { is: 'has'; entry: MessageEntry | null }
  | { is: 'refused'; why: string }
  | { is: 'unclear' }

/** The outcome of a cancel; `kept`: it is with the radio. An app before 1.67 cannot cancel. */
export type CancelResult =
  | { is: 'done'; entry: MessageEntry }
  | { is: 'kept' | 'missing' | 'unable' | 'unclear' }

export interface Page {
  rows: readonly Record<string, unknown>[]
  total: number
}

/** The identity of the phone at an address. */
export interface LocalDevice {
  /** ID of the app's installation. */
  id: string
  /** `<manufacturer>/<product>` */
  name: string
  sims: readonly SaidSim[] | null
}

/**
 * The Local Server of one phone (SMSGate 1.59 and later: WebService.kt, MessagesRoutes.kt, InboxRoutes.kt,
 * SettingsRoutes.kt). Throws `VisitFailed` when there is no answer, or the password is wrong.
 */
export class LocalApi {
  readonly #deps: LocalApiDeps

  constructor(deps: LocalApiDeps) {
    this.#deps = deps
  }

  /** Returns the version and health of the app. Asked without the password, before an address gets it. */
  async health(): Promise<{ version: string; body: Record<string, unknown> }> {
    const { json } = await this.#call({ method: 'GET', path: '/health', login: null })
    const version = isRecord(json) && isRecord(json['checks']) ? textOf(json['version'], maxIdLength) : null
    if (!isRecord(json) || version === null) throw new VisitFailed('not_the_app')
    if (!isSince(/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? null, oldestVisited))
      throw new VisitFailed('too_old_to_visit', version)
    return { version, body: json }
  }

  async device(): Promise<LocalDevice> {
    const { json } = await this.#asked('GET', '/device')
    const device: unknown = Array.isArray(json) ? json[0] : null
    const id = isRecord(device) ? textOf(device['id'], maxIdLength) : null
    if (!isRecord(device) || id === null) throw new VisitFailed('not_the_app')
    return { id, name: textOf(device['name'], maxNameLength) ?? '', sims: readSims(device['simCards']) }
  }

  async settings(): Promise<Record<string, unknown>> {
    return recordOf(await this.#asked('GET', '/settings'))
  }

  /** Changes settings; each change shows a notice on the phone. */
  async patchSettings(sections: Record<string, Record<string, unknown>>): Promise<void> {
    await this.#asked('PATCH', '/settings', sections)
  }

  /**
   * Submits a message under our ID, which is a primary key of the app: the same call again is never a second
   * SMS while the data of the app exist.
   */
  async post(offer: Offer, clockOffsetMs: number): Promise<PostResult> {
    return this.#post({
      ...messageOf(offer),
      // The phone compares it with its own clock.
      validUntil: writeDate(offer.validUntil + clockOffsetMs),
    })
  }

  /**
   * Takes the ID of a message that the phone does not have, so that a submission which is still on its way is
   * refused: a message that is never sent, because it expires a month before its time.
   */
  async occupy(
    offer: Offer,
    { phoneMs, afterMs }: { phoneMs: number; afterMs: number },
  ): Promise<PostResult> {
    return this.#post({
      ...messageOf({ ...offer, text: '-' }),
      validUntil: writeDate(phoneMs + minValidityMs),
      scheduleAt: writeDate(phoneMs + afterMs),
    })
  }

  /** Returns the entry of a message; null when the phone does not have it: cleared data, or it never arrived. */
  async message(attemptId: string): Promise<MessageEntry | null> {
    const answer = await this.#call(this.#request('GET', `/message/${encodeURIComponent(attemptId)}`))
    return answer.status === 404 ? null : recordOf(answer)
  }

  async cancel(attemptId: string): Promise<CancelResult> {
    const path = `/message/${encodeURIComponent(attemptId)}`
    const { status, json } = await this.#call(this.#request('DELETE', path))
    if (status === 200 && isRecord(json)) return { is: 'done', entry: json }
    if (status === 400) return { is: 'kept' }
    if (status === 404) return { is: 'missing' }
    return { is: status === 405 ? 'unable' : 'unclear' }
  }

  /** A page of the messages that were submitted to it, newest first. */
  messages(from: number, { limit, offset }: { limit: number; offset: number }): Promise<Page> {
    return this.#page('/messages', { from: writeDate(from), to: endOfTime, limit, offset })
  }

  /** A page of the received SMS, newest first by the time of the network; `to` omitted: without an end. */
  inbox(
    span: { from: number; to?: number },
    { limit, offset }: { limit: number; offset: number },
  ): Promise<Page> {
    const to = span.to === undefined ? endOfTime : writeDate(span.to)
    return this.#page('/inbox', { type: 'SMS', from: writeDate(span.from), to, limit, offset })
  }

  /** Makes the app read what Android received in a time: it may not have run. */
  async refreshInbox(since: number, until: number): Promise<void> {
    await this.#asked('POST', '/inbox/refresh', {
      since: writeDate(since),
      until: writeDate(until),
      messageTypes: ['SMS'],
      triggerWebhooks: false,
    })
  }

  async #post(body: object): Promise<PostResult> {
    // Without the query the phone parses the number by the country of its network, and sends to mobile numbers only.
    const answer = await this.#call(this.#request('POST', '/message?skipPhoneValidation=true', body))
    const { status, json } = answer
    if (status === 202) return { is: 'has', entry: isRecord(json) ? json : null }
    if (status === 409) return { is: 'has', entry: null }
    if (status !== 400) return { is: 'unclear' }
    const why = isRecord(json) ? textOf(json['message'], maxReasonLength) : null
    return { is: 'refused', why: why ?? 'no reason' }
  }

  async #page(path: string, query: Record<string, string | number>): Promise<Page> {
    const words = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const { json, total } = await this.#asked('GET', `${path}?${words.join('&')}`)
    if (!Array.isArray(json)) throw new VisitFailed('phone_errors', `${path} is no list`)
    const rows = json.filter(isRecord)
    return { rows, total: total ?? rows.length }
  }

  /** Sends a request whose answer must be 2xx. */
  async #asked(method: LocalRequest['method'], path: string, body?: unknown): Promise<LocalAnswer> {
    const answer = await this.#call(this.#request(method, path, body))
    if (answer.status >= 200 && answer.status <= 299) return answer
    throw new VisitFailed('phone_errors', `${method} ${path.split('?')[0]}: ${answer.status}`)
  }

  #request(method: LocalRequest['method'], path: string, body?: unknown): LocalRequest {
    const { user, password } = this.#deps
    return { method, path, login: { user, password }, ...(body === undefined ? {} : { body }) }
  }

  async #call(request: LocalRequest): Promise<LocalAnswer> {
    const { tools, address, mayCall, saw } = this.#deps
    if (!mayCall()) throw new VisitFailed('stopped')
    const answer = await exchange(tools, address, request)
    if (answer.status === 401) throw new VisitFailed('wrong_password')
    if (answer.dateMs !== null) saw?.(answer.dateMs)
    return answer
  }
}

/** A message that is scheduled after its end is never sent; the end itself must be in the future. */
const minValidityMs = 60_000

const messageOf = ({ attemptId, text, to, sim, priority }: Offer) => ({
  id: attemptId,
  textMessage: { text },
  // Never more than one: a number that is listed twice is 409 too.
  phoneNumbers: [to],
  ...(sim === null ? {} : { simNumber: sim }),
  withDeliveryReport: true,
  // The phone sends higher priorities first; one of 100 or more would bypass everything else.
  priority: Math.max(-128, Math.min(0, -priority)),
})

function recordOf({ status, json }: LocalAnswer): Record<string, unknown> {
  if (status >= 200 && status <= 299 && isRecord(json)) return json
  throw new VisitFailed('phone_errors', String(status))
}
