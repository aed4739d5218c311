import { realKinds } from '../../connectors/registry.ts'
import { nothingWaits, readStranded, type Waiting } from '../../messages/queue/stranded.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/** What waits for own devices of an account, of which no enabled one can carry it. */
export interface StrandedBy {
  messages: number
  lines: string[]
}

/**
 * Reads what a change of a device leaves without an own device that can carry it, and says how it will end: nothing
 * waits in silence (decision 60). Of a device that is disabled, only what it could carry. `accountId` is null for a
 * shared device, which nothing waits for.
 */
export async function readStrandedBy(
  db: Db,
  { id, accountId, state }: { id: string; accountId: string | null; state: string },
): Promise<StrandedBy> {
  if (accountId === null) return { messages: 0, lines: [] }
  const { waitFor, ...all } = await readStranded(db, accountId, realKinds)
  return state === 'disabled'
    ? told(waitFor.get(id) ?? nothingWaits, 'it', 'Enable it')
    : told(all, 'an own device', 'Connect or enable one')
}

function told({ messages, expireBy }: Waiting, what: string, remedy: string): StrandedBy {
  if (messages === 0) return { messages, lines: [] }
  const [waits, them, expire] =
    messages === 1
      ? ['1 message waits', 'it', 'it expires']
      : [`${messages} messages wait`, 'them', 'they expire']
  const last = expireBy === null ? '' : `, the last at ${rfc3339(expireBy)}`
  return {
    messages,
    lines: [
      `${waits} for ${what}: no own device that is enabled can send ${them}, and shared ones never carry what costs nothing. ${remedy}, and ${them === 'it' ? 'it is' : 'they are'} sent; otherwise ${expire} with the code no_own_device${last}.`,
    ],
  }
}
