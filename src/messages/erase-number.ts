import { shortHash } from '../number-hash.ts'
import { appendAudit } from '../storage/audit-log.ts'
import type { Db } from '../storage/dialect.ts'
import { selectEach } from '../storage/sets.ts'
import type { EraseDeps, EraseNumber, EraseNumberDeps } from './erase-deps.ts'
import { addPages, type ErasedPage, nothingErased, type Wallet, writeErasedPage } from './erase-page.ts'
import { eraseInAudit, eraseInKeys, eraseInOptOuts, eraseUnjoined } from './erase-number-traces.ts'
import { eraseInEvents } from './erase-webhooks.ts'
import { messageWindows } from './message-windows.ts'
import { spellingsOf } from './number-spellings.ts'

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

/**
 * Erases a person's number, and the texts to and from it, in every table that holds them; opt-outs go on under a hash. What waits is canceled first.
 * What is being handed over is left and counted: asked again when it is final, this goes on. So it does when it was interrupted. The audit log
 * says that it was done, without the number.
 */
export async function eraseNumber(deps: EraseNumberDeps, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for (const wallet of await readWalletNames(deps.read, asked.accountId)) {
    await eraseInKeys(deps, wallet, asked.number)
    done = addPages(done, await eraseOutbound(deps, wallet, asked))
    done = addPages(done, await eraseInbound(deps, wallet, asked))
  }
  await eraseInOptOuts(deps, asked)
  await eraseUnjoined(deps, asked)
  await eraseInEvents(deps, asked)
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
    done = addPages(done, await writeErasedPage(deps, wallet, ids, { ...asked, sides: 'party' }))
    after = ids.at(-1) as string
  }
}

/** No index leads to senders of received messages. */
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
      done = addPages(done, await writeErasedPage(deps, wallet, ids, { ...asked, sides: 'party' }))
    }
  }
  return done
}
