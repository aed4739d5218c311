import { allDone } from '../runtime/all-done.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { selectEach } from '../storage/seam/sets.ts'
import type { EraseAccount, EraseDeps } from './erase-deps.ts'
import { type ErasedPage, type Wallet, writeErasedPage } from './erase-page.ts'
import { erasedNumber } from '../messages/core/erased-number.ts'
import { hasOpenAttempt } from '../messages/core/open-attempt.ts'
import { phoneReportsForMs } from '../messages/phones/phone-recalls.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 500
const modes: readonly Mode[] = ['live', 'test']

/** Messages in flight are skipped, because their outcome must find them. */
const unerased = {
  sql: `select id from messages m where account_id = :account and mode = :mode and id > :after and id <= :last
        and not (status = 'queued' and ${hasOpenAttempt('m')})
        and (recipient <> :erased or sender is not null or text is not null or client_reference is not null or metadata <> '{}'
          or network_code is not null
          or exists (select 1 from attempts a where a.account_id = m.account_id and a.mode = m.mode and a.message_id = m.id
            and a.network_code is not null))`,
  inputs: ['account', 'mode', 'after', 'last', 'erased'],
} as const

/**
 * Erases all messages of an account in both modes, with texts and both sides' numbers, and yields each page
 * once it is stored. Messages that were already erased are skipped.
 */
export async function* eraseMessagesOfAccount(
  deps: EraseDeps,
  { accountId }: EraseAccount,
): AsyncGenerator<ErasedPage> {
  for (const mode of modes)
    for await (const { after, upTo } of messageWindows(deps.read, { accountId, mode })) {
      const found = await selectEach<{ id: string }>(deps.read, unerased, [
        [accountId, mode, after, upTo, erasedNumber],
      ])
      for (let at = 0; at < found.length; at += pageSize) {
        const ids = found.slice(at, at + pageSize).map(({ id }) => id)
        const how = { sides: 'both', code: 'account_closed' } as const
        yield await writeErasedPage(deps, { accountId, mode }, ids, how)
      }
    }
}

const inFlight = {
  sql: `select m.expires_at from attempts a
        cross join messages m on m.account_id = a.account_id and m.mode = a.mode and m.id = a.message_id
        where a.account_id = :account and a.mode = :mode and a.ended_at is null`,
  inputs: ['account', 'mode'],
} as const

/**
 * Counts the messages of an account that are in flight, and returns by when the last of them is final,
 * regardless of its device; null when there are none.
 */
export async function readInFlight(
  { read }: Pick<EraseDeps, 'read'>,
  accountId: string,
): Promise<{ inFlight: number; finalBy: number | null }> {
  const rows = await selectEach<{ expires_at: number | null }>(
    read,
    inFlight,
    modes.map((mode) => [accountId, mode]),
  )
  const last = rows.reduce((most, { expires_at }) => Math.max(most, expires_at ?? 0), 0)
  return { inFlight: rows.length, finalBy: rows.length === 0 ? null : last + phoneReportsForMs }
}

const withNumber = (comparison: '<' | '>') =>
  ({
    sql: `select id from messages where account_id = :account and mode = :mode and recipient ${comparison} :erased limit 1`,
    inputs: ['account', 'mode', 'erased'],
  }) as const
const [below, above] = [withNumber('<'), withNumber('>')]

/**
 * Returns whether a message of an account still has a number: it arrived, or was submitted, after the others
 * were erased.
 */
export async function hasNumbers(tx: Tx, accountId: string): Promise<boolean> {
  const wallets = modes.map((mode): Wallet => ({ accountId, mode }))
  const inputs = wallets.map(({ mode }) => [accountId, mode, erasedNumber])
  const found = await allDone([
    selectEach<{ id: string }>(tx, below, inputs),
    selectEach<{ id: string }>(tx, above, inputs),
  ])
  return found.flat().length > 0
}

/** Without an index, all messages of a wallet are scanned, this many at a time. */
const windowSize = 5_000
const windowEnd = {
  sql: `select id from messages where account_id = :account and mode = :mode and id > :after order by id limit 1 offset ${windowSize}`,
  inputs: ['account', 'mode', 'after'],
} as const

/** Yields the windows of all messages of a wallet, oldest first: each after `after` and up to `upTo`. */
async function* messageWindows(
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
