import { type ApiClient, type ApiSend, createApiClient } from '../api-client.ts'

/** One request of the load, named by a marker that stands in its text. */
interface Asked {
  marker: string
  body: { to: string[]; text: string; on_unknown: string; send_at?: string; validity_period?: number }
}

/** How a request came to its end. */
export interface FinishedRequest {
  /** By the monotonic clock. */
  askedMs: number
  afterMs: number
  /** The status; null when there was no answer. */
  told: number | null
}

/** The client's own log: it stands outside of the program and outlives every kill. */
export interface Load {
  /** What was answered 202, by marker. */
  readonly accepted: ReadonlyMap<string, ApiSend>
  /** Requests that got no answer: they may or may not have been stored. */
  readonly unanswered: ReadonlyMap<string, Asked>
  /** Answers other than 202, as `status code`; with `isPatient` those of 503 count as unanswered. */
  readonly refused: readonly string[]
  /** Every request that has come to its end, with how long it took, whatever it was told. */
  readonly ended: readonly FinishedRequest[]
  /** Sends `perSecond` requests a second until `pause`. */
  resume(): void
  /** Asks for nothing more; settles when every request has its answer or has failed. */
  pause(): Promise<void>
  /** Repeats what got no answer, each with its Idempotency-Key, as a careful client does. Gives how many there were. */
  repeatUnanswered(): Promise<number>
  close(): void
}

/** Open requests at most: a dead server answers none. */
const maxOpen = 300
const scheduledAheadMs = 400

/**
 * A program that sends: each request under an Idempotency-Key of its own, one in ten to three numbers, one in seven of two parts.
 * Every text is unique, so that the peer's log tells messages apart whatever their attempts are called.
 */
export function createLoad(options: {
  url: string
  key: string
  perSecond: number
  name?: string
  onUnknown?: 'stop' | 'resend_once'
  /** Repeats later what was answered with 503, as the answer asks. */
  isPatient?: boolean
  /** Which are sent a moment ahead of their time. */
  isScheduled?: (n: number) => boolean
  /** How long each may wait; a day when left out. */
  validitySeconds?: number
}): Load {
  const { url, key, perSecond, name = 'm', onUnknown = 'stop', isPatient = false, validitySeconds } = options
  const isScheduled = options.isScheduled ?? (() => false)
  const accepted = new Map<string, ApiSend>()
  const unanswered = new Map<string, Asked>()
  const refused: string[] = []
  const ended: FinishedRequest[] = []
  const open = new Set<Promise<void>>()
  let client: ApiClient = createApiClient(url, maxOpen)
  let next = 0
  let ticking: NodeJS.Timeout | null = null

  const ask = (asked: Asked): void => {
    const askedMs = performance.now()
    const end = (told: number | null): void =>
      void ended.push({ askedMs, afterMs: performance.now() - askedMs, told })
    const asking = client
      .send(key, asked.body, { 'idempotency-key': asked.marker })
      .then(({ status, body }) => {
        end(status)
        if (isPatient && status === 503) {
          unanswered.set(asked.marker, asked)
          return
        }
        unanswered.delete(asked.marker)
        if (status === 202) accepted.set(asked.marker, body)
        else refused.push(`${status} ${body.code}`)
      })
      .catch(() => {
        end(null)
        unanswered.set(asked.marker, asked)
      })
      .finally(() => open.delete(asking))
    open.add(asking)
  }

  const settle = async (): Promise<void> => {
    while (open.size > 0) await Promise.all(open)
  }

  return {
    accepted,
    unanswered,
    refused,
    ended,
    resume() {
      const startedMs = performance.now()
      const before = next
      ticking ??= setInterval(() => {
        const due = before + Math.floor(((performance.now() - startedMs) / 1000) * perSecond)
        while (next < due && open.size < maxOpen) {
          ask(bodyOf({ name, n: next, onUnknown, isScheduled: isScheduled(next), validitySeconds }))
          next += 1
        }
      }, 2)
    },
    async pause() {
      if (ticking !== null) clearInterval(ticking)
      ticking = null
      await settle()
      // Connections of a server that was killed are of no use.
      client.close()
      client = createApiClient(url, maxOpen)
    },
    async repeatUnanswered() {
      const again = [...unanswered.values()]
      for (const asked of again) {
        ask(asked)
        if (open.size >= 50) await Promise.race(open)
      }
      await settle()
      return again.length
    },
    close() {
      if (ticking !== null) clearInterval(ticking)
      client.close()
    },
  }
}

function bodyOf({
  name,
  n,
  onUnknown,
  isScheduled,
  validitySeconds,
}: {
  name: string
  n: number
  onUnknown: string
  isScheduled: boolean
  validitySeconds: number | undefined
}): Asked {
  const marker = `${name}-${String(n).padStart(6, '0')}`
  const to = Array.from(
    { length: n % 10 === 0 ? 3 : 1 },
    (_, i) => `+49151${20_000_000 + ((n * 3 + i) % 9_000_000)}`,
  )
  return {
    marker,
    body: {
      to,
      text: n % 7 === 0 ? `${marker} ${'.'.repeat(170)}` : marker,
      on_unknown: onUnknown,
      ...(isScheduled && { send_at: new Date(Date.now() + scheduledAheadMs).toISOString() }),
      ...(validitySeconds !== undefined && { validity_period: validitySeconds }),
    },
  }
}

/** The marker that a text begins with. */
export const markerOf = (text: string): string => text.split(' ')[0] as string
