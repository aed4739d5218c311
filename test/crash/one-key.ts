import { type ApiSend, createApiClient } from '../api-client.ts'
import type { CrashHouse } from './crash-house.ts'

const connections = 50

/** One Idempotency-Key that is sent from many connections at once, again and again. */
export interface OneKey {
  /** What was answered 202, by the id of the send. */
  readonly accepted: ReadonlyMap<string, ApiSend>
  /** Answers that are neither 202 nor say that another one is on its way. */
  readonly refused: readonly string[]
  ask(): {
    /** Settles with the first answer of one of these statuses. */
    until(statuses: readonly number[]): Promise<unknown>
    /** Settles when each has its answer, or has failed. */
    settled: Promise<unknown>
  }
}

export function createOneKey(
  { server, liveKey }: Pick<CrashHouse, 'server' | 'liveKey'>,
  key: string,
): OneKey {
  const accepted = new Map<string, ApiSend>()
  const refused: string[] = []
  return {
    accepted,
    refused,
    ask() {
      const client = createApiClient(server.url, connections)
      const once = async (): Promise<number> => {
        const { status, body } = await client.send(
          liveKey,
          { to: '+4915112345678', text: key },
          { 'idempotency-key': key },
        )
        if (status === 202) accepted.set(body.id, body)
        else if (body.code !== 'idempotency_in_progress') refused.push(`${status} ${body.code}`)
        return status
      }
      const asked = Array.from({ length: connections }, once)
      return {
        until: (statuses) =>
          Promise.any(
            asked.map(async (answer) => {
              const status = await answer
              if (!statuses.includes(status)) throw new Error(`answered ${status}`)
            }),
          ),
        settled: Promise.allSettled(asked).then(() => client.close()),
      }
    },
  }
}
