import type { PhoneKnobs } from './phone-knobs.ts'
import type { PhoneLog, RequestRecord } from './phone-log.ts'
import type { PhoneAnswer, PhoneNetwork } from './phone-network.ts'

/** What a phone keeps of a registration. */
export interface Registration {
  id: string
  token: string
  login: string
}

export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH'
  /** Appended to the base URL as it is. */
  path: string
  authorization: string | null
  body?: unknown
  signal?: AbortSignal
}

/** An answer that is not 2xx. */
export class ApiRefusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`Status ${status}`)
    this.status = status
  }
}

export interface PhoneApi {
  /** The answer, whatever its status. */
  exchange(call: ApiCall): Promise<PhoneAnswer>
  /** Throws an ApiRefusal unless the status is 2xx. */
  send(call: ApiCall): Promise<PhoneAnswer>
  /** The JSON of a 2xx answer; throws too when it does not say that it is JSON. */
  read(call: ApiCall): Promise<unknown>
  /** A POST to a URL from the list of webhooks. */
  post(url: string, body: string, headers: Record<string, string>): Promise<PhoneAnswer>
}

export interface ApiHouse {
  phone: number
  baseUrl: string
  knobs(): PhoneKnobs
  network: PhoneNetwork
  log: PhoneLog
}

/** The HTTP client of the app: each request stands in the log with its status. */
export function createPhoneApi(house: ApiHouse): PhoneApi {
  const { baseUrl, knobs, network } = house
  const userAgent = (): string => `me.capcom.smsgateway/${knobs().appVersion}`
  const exchange = ({ method, path, authorization, body, signal }: ApiCall): Promise<PhoneAnswer> =>
    logged(house, { what: 'api', method, path, body: body ?? null }, () =>
      network.exchange({
        method,
        url: `${baseUrl}${path}`,
        timeoutMs: knobs().requestTimeoutMs,
        headers: {
          'user-agent': userAgent(),
          accept: 'application/json',
          'accept-encoding': 'gzip',
          ...(authorization === null ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json; charset=UTF-8' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
  const send = async (call: ApiCall): Promise<PhoneAnswer> => {
    const answer = await exchange(call)
    if (answer.status < 200 || answer.status > 299) throw new ApiRefusal(answer.status)
    return answer
  }
  return {
    exchange,
    send,
    async read(call) {
      const { contentType, body } = await send(call)
      if (!/^application\/json\b/i.test(contentType)) throw new Error(`No converter for ${contentType}`)
      return JSON.parse(body) as unknown
    },
    post: (url, body, headers) =>
      logged(house, { what: 'webhook', method: 'POST', path: url, body: JSON.parse(body) as unknown }, () =>
        network.exchange({
          method: 'POST',
          url,
          body,
          timeoutMs: knobs().webhookTimeoutMs,
          headers: { 'user-agent': userAgent(), 'content-type': 'application/json', ...headers },
        }),
      ),
  }
}

type RequestHead = Pick<RequestRecord, 'what' | 'method' | 'path' | 'body'>

async function logged(
  { phone, log }: ApiHouse,
  head: RequestHead,
  send: () => Promise<PhoneAnswer>,
): Promise<PhoneAnswer> {
  const at = Date.now()
  const write = (status: number | null, error: string | null): void =>
    log.append({ kind: 'request', phone, at, tookMs: Date.now() - at, ...head, status, error })
  try {
    const answer = await send()
    write(answer.status, null)
    return answer
  } catch (error) {
    write(null, (error as Error).message)
    throw error
  }
}
