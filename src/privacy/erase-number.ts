import { shortHash } from '../numbers/number-hash.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Db } from '../storage/seam/dialect.ts'
import { selectEach } from '../storage/seam/sets.ts'
import type { EraseDeps, EraseNumber, EraseNumberDeps } from './erase-deps.ts'
import { addPages, type ErasedPage, nothingErased, type Wallet, writeErasedPage } from './erase-page.ts'
import {
  eraseInAudit,
  eraseInCanaries,
  eraseInKeys,
  eraseInOptOuts,
  eraseInPlans,
  eraseUnjoined,
  spellingsOf,
} from './erase-number-traces.ts'
import { eraseInEvents } from './erase-webhooks.ts'
import { everySpelling } from '../numbers/number-changes.ts'

/** Small pages, so that sends never wait long for one. */
const pageSize = 500

/**
 * Erases a recipient's number, and the texts to and from it, in every table; opt-outs continue under a hash.
 * Queued messages are canceled first. Messages in flight are skipped and counted: a repeated call, once they
 * are final, continues. So does a call after an interruption. The audit log records the erasure, without the
 * number.
 */
export async function eraseNumber(deps: EraseNumberDeps, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for (const number of everySpelling(asked.number))
    done = addPages(done, await eraseSpelling(deps, { ...asked, number }))
  const { erased, canceled, inFlight: handedOver } = done
  await deps.writer.write((tx) =>
    appendAudit(
      tx,
      { ids: deps.ids, nowMs: deps.clock.now() },
      {
        accountId: asked.accountId,
        actor: asked.actor,
        action: 'number.erased',
        detail: { number: shortHash(deps.numbers, asked.number), erased, canceled, handedOver },
      },
    ),
  )
  return done
}

async function eraseSpelling(deps: EraseNumberDeps, asked: EraseNumber): Promise<ErasedPage> {
  let done = nothingErased
  for (const wallet of await readWalletNames(deps.read, asked.accountId)) {
    await eraseInKeys(deps, wallet, asked.number)
    const { number } = asked
    done = addPages(done, await eraseFound(deps, wallet, { found: toNumber, number, asked }))
    for (const spelling of spellingsOf(number))
      done = addPages(done, await eraseFound(deps, wallet, { found: fromNumber, number: spelling, asked }))
  }
  await eraseInOptOuts(deps, asked)
  await eraseUnjoined(deps, asked)
  await eraseInEvents(deps, asked)
  await eraseInAudit(deps, asked)
  await eraseInPlans(deps, asked)
  await eraseInCanaries(deps, asked)
  return done
}

/** Reads the wallets of one account, or of all. */
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

const fromNumber = {
  ...toNumber,
  sql: `select id from messages where account_id = :account and mode = :mode and sender = :number and id > :after
        and direction = 'inbound' order by id limit ${pageSize}`,
} as const

/** Erases the messages of one spelling of the number. */
async function eraseFound(
  deps: EraseDeps,
  wallet: Wallet,
  {
    found,
    number,
    asked,
  }: { found: typeof toNumber | typeof fromNumber; number: string; asked: EraseNumber },
): Promise<ErasedPage> {
  let done = nothingErased
  for (let after = ''; ;) {
    const inputs = [wallet.accountId, wallet.mode, number, after]
    const ids = (await selectEach<{ id: string }>(deps.read, found, [inputs])).map(({ id }) => id)
    if (ids.length === 0) return done
    done = addPages(done, await writeErasedPage(deps, wallet, ids, { ...asked, sides: 'party' }))
    after = ids.at(-1) as string
  }
}
