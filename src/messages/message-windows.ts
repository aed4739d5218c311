import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'

/** Where no index leads, all messages of a wallet are gone through, so many at a time. */
const windowSize = 5_000
const windowEnd = {
  sql: `select id from messages where account_id = :account and mode = :mode and id > :after order by id limit 1 offset ${windowSize}`,
  inputs: ['account', 'mode', 'after'],
} as const

/** Gives the windows in which all messages of a wallet lie, oldest first: each behind `after` and up to `upTo`. */
export async function* messageWindows(
  read: Db,
  { accountId, mode }: { accountId: string; mode: Mode },
): AsyncGenerator<{ after: string; upTo: string }> {
  for (let after = ''; ;) {
    const [end] = await selectEach<{ id: string }>(read, windowEnd, [[accountId, mode, after]])
    const upTo = end?.id ?? '~'
    yield { after, upTo }
    if (end === undefined) return
    after = upTo
  }
}
