import type { Db } from '../storage/dialect.ts'

/** How many deliveries are not over, up to `most`. */
export async function countWaiting(read: Db, most: number): Promise<number> {
  const { count } = await read
    .selectFrom((from) =>
      from
        .selectFrom('webhook_deliveries')
        .select('event_id')
        .where('closed_at', 'is', null)
        .limit(most)
        .as('open'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
