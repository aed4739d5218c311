import { shortHash } from '../number-hash.ts'
import { appendAudit } from '../storage/audit-log.ts'
import type { Db, Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'
import type { EraseDeps, EraseNumber } from './erase-deps.ts'
import { addPages, erasePage, type ErasedPage, nothingErased, type Wallet } from './erase-page.ts'
import { eraseInAudit, eraseInKeys, eraseInOptOuts, eraseUnjoined } from './erase-number-traces.ts'
import type { MessageErrorCode } from './message-errors.ts'
import { spellingsOf } from './number-spellings.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

/**
 * Erases a person's number, and the texts to and from it, in every table that holds them; opt-outs go on under a hash. What waits is canceled first.
 * What is being handed over is left and counted: asked again when it is final, this goes on. So it does when it was interrupted. The audit log
 * says that it was done, without the number.
 */
export async function eraseNumber(deps: EraseDeps, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for (const wallet of await readWalletNames(deps.read, asked.accountId)) {
    await eraseInKeys(deps, wallet, asked.number)
    done = addPages(done, await eraseOutbound(deps, wallet, asked))
    done = addPages(done, await eraseInbound(deps, wallet, asked))
  }
  await eraseInOptOuts(deps, asked)
  await eraseUnjoined(deps, asked)
  await eraseInAudit(deps, asked)
  const { deviceIds: _, ...counts } = done
  await deps.writer.write((tx) =>
    appendAudit(
      tx,
      { ids: deps.ids, nowMs: deps.clock.now() },
      {
        accountId: asked.accountId,
        actor: asked.actor,
        action: 'number.erased',
        detail: { number: shortHash(deps.numbers, asked.number), ...counts },
      },
    ),
  )
  return done
}

/** The wallets of one account or of all. */
async function readWalletNames(read: Db, accountId: string | null): Promise<Wallet[]> {
  let query = read.selectFrom('wallets').select(['account_id', 'mode']).orderBy('account_id').orderBy('mode')
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  return (await query.execute()).map((row) => ({ accountId: row.account_id, mode: row.mode }))
}

const toNumber = {
  sql: `select id from messages where account_id = :account and mode = :mode and recipient = :number and id > :after
        and direction = 'outbound' order by id limit ${pageSize}`,
  inputs: ['account', 'mode', 'number', 'after'],
} as const

async function eraseOutbound(deps: EraseDeps, wallet: Wallet, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for (let after = ''; ;) {
    const inputs = [wallet.accountId, wallet.mode, asked.number, after]
    const ids = (await selectEach<{ id: string }>(deps.read, toNumber, [inputs])).map(({ id }) => id)
    if (ids.length === 0) return done
    done = addPages(done, await writePage(deps, wallet, ids, { ...asked, sides: 'party' }))
    after = ids.at(-1) as string
  }
}

/** No index leads to senders of received messages: all of an account are gone through, so many at a time. */
const windowSize = 5_000
const windowEnd = {
  sql: `select id from messages where account_id = :account and mode = :mode and id > :after order by id limit 1 offset ${windowSize}`,
  inputs: ['account', 'mode', 'after'],
} as const

/** Gives the windows in which all messages of a wallet lie, oldest first: each behind `after` and up to `upTo`. */
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

async function eraseInbound(deps: EraseDeps, wallet: Wallet, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for await (const { after, upTo } of messageWindows(deps.read, wallet)) {
    const rows = await deps.read
      .selectFrom('messages')
      .select(['id', 'sender'])
      .where('account_id', '=', wallet.accountId)
      .where('mode', '=', wallet.mode)
      .where('id', '>', after)
      .where('id', '<=', upTo)
      .where('direction', '=', 'inbound')
      .where('sender', 'in', spellingsOf(asked.number))
      .execute()
    for (let at = 0; at < rows.length; at += pageSize) {
      const ids = rows.slice(at, at + pageSize).map(({ id }) => id)
      done = addPages(done, await writePage(deps, wallet, ids, { ...asked, sides: 'party' }))
    }
  }
  return done
}

/** Erases one page as a unit of its own. */
function writePage(
  deps: Pick<EraseDeps, 'writer' | 'clock' | 'hold'>,
  wallet: Wallet,
  ids: readonly string[],
  { sides, code }: { sides: 'party' | 'both'; code: MessageErrorCode },
): Promise<ErasedPage> {
  const nowMs = deps.clock.now()
  return deps.hold(nowMs, () =>
    deps.writer.write((tx: Tx) => erasePage(tx, wallet, ids, { sides, code, nowMs })),
  )
}
