import type { RealKinds } from '../devices/core/carrying.ts'
import { readStrandedOf } from '../messages/queue/stranded.ts'
import { minuteMs } from '../runtime/clock.ts'
import { formatInstant } from './alert-texts.ts'
import type { AlertRule } from './condition.ts'

/** Accounts at a time, so that their names are read in statements of a bounded size. */
const pageSize = 1_000

/**
 * Accounts with messages that only own devices may carry, while none that is enabled can. Each was accepted for one
 * that was disabled, removed or changed since.
 */
export const strandedMessages = (kinds: RealKinds): AlertRule => ({
  kinds: ['messages_stranded'],
  everyMs: minuteMs,
  async find(db) {
    const stranded = [...(await readStrandedOf(db, 'all', kinds))]
    const pages = Array.from({ length: Math.ceil(stranded.length / pageSize) }, (_, i) =>
      stranded.slice(i * pageSize, (i + 1) * pageSize).map(([accountId]) => accountId),
    )
    const active = await Promise.all(
      pages.map((ids) =>
        db
          .selectFrom('accounts')
          .select(['id', 'name'])
          .where('id', 'in', ids)
          .where('state', '=', 'active')
          .execute(),
      ),
    )
    const nameOf = new Map(active.flat().map(({ id, name }) => [id, name]))
    return stranded.flatMap(([accountId, { messages, expireBy }]) => {
      const name = nameOf.get(accountId)
      if (name === undefined) return []
      return {
        kind: 'messages_stranded',
        subject: accountId,
        accountId,
        mode: 'live',
        name,
        said: `${waiting(messages)} What own devices send costs nothing, so shared ones do not. Enable or connect a device; ${ending(messages, expireBy)}`,
      } as const
    })
  },
  // They were sent, or expired: the history says which.
  findRecovered: async () => new Set(),
})

const waiting = (messages: number): string =>
  messages === 1
    ? '1 message waits for an own device, and none that is enabled can send it.'
    : `${messages} messages wait for an own device, and none that is enabled can send them.`

const ending = (messages: number, expireBy: number | null): string => {
  const at = expireBy === null ? '' : ` at ${formatInstant(expireBy)}`
  return messages === 1 ? `otherwise it expires${at}.` : `otherwise they expire, the last${at}.`
}
