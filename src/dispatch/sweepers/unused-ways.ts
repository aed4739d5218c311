import { sql } from 'kysely'
import { usesWithinMs } from '../../devices/routes/ways-store.ts'
import { joinLanes, timeOfNumber } from '../../messages/core/change-number.ts'
import { hourMs } from '../../runtime/clock.ts'
import { timeOfId } from '../../runtime/ids.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { type OldRows, purgeOld } from './purge-old.ts'
import type { SweeperDeps } from './sweeper.ts'

/** What is found in vain is looked for again after this time: it reads the first message of each wallet. */
const restMs = hourMs

const ways: OldRows<'ways'> = { table: 'ways', key: ['id'], age: 'used_at' }

/**
 * Creates the removal of ways that no message has any more. A message and the use of its way have the time of the same change
 * (`storeWays`), which never steps back: a way that was used before the oldest message is named by none. Each call removes
 * a page and returns whether there may be more. One that gets a message between the read and the removal stays, because its use
 * is noted; one that gets it afterwards is stored again.
 */
export function unusedWayRemover({
  read,
  writer,
  clock,
}: Pick<SweeperDeps, 'clock'> & { read: Db; writer: Writer }): () => Promise<boolean> {
  let restsUntilMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = clock.monotonicMs()
    if (nowMs < restsUntilMs) return false
    const isMore = await purgeOld(
      { read, writer },
      ways,
      (await oldestMs({ read, writer })) - usesWithinMs - 1,
    )
    if (!isMore) restsUntilMs = nowMs + restMs
    return isMore
  }
}

/** Returns the time of the oldest message, and none after that of the last change: later ones have a later time, in every lane. */
async function oldestMs({ read, writer }: { read: Db; writer: Writer }): Promise<number> {
  const lastMs = timeOfNumber(await joinLanes({ read, writer }))
  const { rows } = await sql<{ id: string | null }>`
    select min((select m.id from messages m where m.account_id = w.account_id and m.mode = w.mode order by m.id limit 1)) as id
    from wallets w`.execute(read)
  const id = rows[0]?.id ?? null
  return id === null ? lastMs : Math.min(lastMs, timeOfId(id))
}
