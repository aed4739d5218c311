import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** An answer of the API; `body` is what the caller says it is. */
export interface Answer<Body> {
  status: number
  headers: IncomingHttpHeaders
  body: Body
}

/** What proofs read of a message (the interface section 2). */
export interface ApiMessage {
  id: string
  send_id: string
  status: string
  final: boolean
  to: string
  text: string | null
  parts: number
  device_id: string | null
  attempts: number
  possible_duplicate: boolean
  cost: { held: number; charged: number; state: string }
  error: { code: string; retryable: boolean } | null
  client_reference: string | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  timeline?: { status: string; at: string; attempt_id: string | null; device_id: string | null }[]
}

export interface ApiSend {
  id: string
  mode: string
  content: { parts: number; encoding: string }
  totals: { recipients: number; parts: number; balance_available: number }
  warnings: { code: string }[]
  messages: ApiMessage[]
}

export interface ApiProblem {
  status: number
  code: string
  detail: string
  errors?: { pointer: string; code: string }[]
}

export interface ApiBalance {
  account_id: string
  mode: string
  available: number
  reserved: number
  used: number
  granted: number
}

interface ApiList {
  data: ApiMessage[]
  has_more: boolean
  next_cursor: string | null
}

/** A client over kept-alive connections. A request that gets no answer rejects. */
export interface ApiClient {
  call<Body>(method: string, path: string, key: string, options?: CallOptions): Promise<Answer<Body>>
  /** `POST /api/v1/send`. */
  send(key: string, body: object, headers?: Record<string, string>): Promise<Answer<ApiSend & ApiProblem>>
  balance(key: string): Promise<ApiBalance>
  /** Every message that history gives for these parameters, page after page. */
  history(key: string, query?: string): Promise<ApiMessage[]>
  /** The one message of that id, with its timeline. */
  message(key: string, id: string): Promise<ApiMessage>
  /** Lets the connections go. */
  close(): void
}

interface CallOptions {
  body?: object
  headers?: Record<string, string>
}

const patienceMs = 20_000

export function createApiClient(url: string, maxSockets = 64): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets })

  const call: ApiClient['call'] = <Body>(
    method: string,
    path: string,
    key: string,
    { body, headers = {} }: CallOptions = {},
  ) =>
    new Promise<Answer<Body>>((resolve, reject) => {
      const payload = body === undefined ? null : JSON.stringify(body)
      const asking = request(`${url}${path}`, {
        agent,
        method,
        timeout: patienceMs,
        headers: {
          authorization: `Bearer ${key}`,
          ...(payload === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      })
      asking.once('timeout', () => asking.destroy(new Error(`no answer within ${patienceMs} ms`)))
      asking.once('error', reject)
      asking.once('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: JSON.parse(text) as Body,
          })
        })
      })
      asking.end(payload ?? undefined)
    })

  async function history(key: string, query = ''): Promise<ApiMessage[]> {
    const found: ApiMessage[] = []
    for (let path = `/api/v1/history?limit=100&${query}`; ;) {
      const { status, body } = await call<ApiList>('GET', path, key)
      if (status !== 200) throw new Error(`history answered ${status}: ${JSON.stringify(body)}`)
      found.push(...body.data)
      if (body.next_cursor === null) return found
      path = `/api/v1/history?limit=100&cursor=${body.next_cursor}`
    }
  }

  return {
    call,
    history,
    send: (key, body, headers) =>
      call('POST', '/api/v1/send', key, headers === undefined ? { body } : { body, headers }),
    balance: async (key) => (await call<ApiBalance>('GET', '/api/v1/balance', key)).body,
    async message(key, id) {
      const [message] = await history(key, `id=${id}&include=timeline`)
      if (message === undefined) throw new Error(`there is no message ${id}`)
      return message
    },
    close: () => agent.destroy(),
  }
}
