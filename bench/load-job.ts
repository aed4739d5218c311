/** What one request of a job says. The digits of recipients and keys count up, so that no two messages of a job are alike. */
export type RequestShape =
  | { kind: 'send'; recipients: number; idempotent: boolean }
  | { kind: 'get'; paths: readonly string[] }
  /** The whole request to another program, with what `recipientOf` gives for 0, 1 and so on in it, with or without its plus. */
  | { kind: 'text'; recipients: number; request: string }

export const one = { kind: 'send', recipients: 1, idempotent: false } satisfies RequestShape
export const hundred = { kind: 'send', recipients: 100, idempotent: false } satisfies RequestShape

/** One measurement, as it is handed to the process of the load generator. */
export interface LoadJob {
  /** Of each server; the connections go to them in turns. */
  ports: readonly number[]
  /** API keys; the requests bear them in turns. */
  tokens: readonly string[]
  /** Each server gets requests of keys of its own, as from a balancer that goes by the key. */
  hasOwnKeys?: boolean
  shape: RequestShape
  connections: number
  /** Requests a second, evenly spread, whatever the answers do (open loop); null: each connection asks again when it is answered. */
  perSecond: number | null
  /** Not counted: compilers and caches get warm. */
  warmUpMs: number
  measureMs: number
  /** Ends the job early, warm-up included. */
  maxRequests: number | null
  /** Number of the first message of the job. */
  firstMessage: number
  /** Gives back when each request was sent and answered. */
  keepTimes: boolean
}

export interface LoadResult {
  /** Answers within the measured time. */
  answers: number
  /** By status; a connection that broke counts under 0. The warm-up is included. */
  statuses: Record<string, number>
  perSecond: number
  /** Milliseconds; from the moment a request was due when there is a rate, so that a slow answer excuses no other. */
  latency: { p50: number; p99: number; max: number }
  /** How many messages were asked for, warm-up included. */
  messages: number
  /** Share of one core that the generator itself used. */
  generatorCpu: number
  /** First message of the request, and wall-clock times in milliseconds. */
  times: [firstMessage: number, sentAt: number, answeredAt: number][]
}

/** The recipient of message `n`: possible German mobile numbers, a hundred million of them. */
export const recipientOf = (n: number): string => `+49151${String(n % 100_000_000).padStart(8, '0')}`

/** Gives the number of the message that `recipientOf` made a recipient for. */
export const messageOf = (recipient: string): number => Number(recipient.slice(6))

export const textOfMessages = 'Your parcel is on its way and arrives today between 14 and 16 h.'
