import { dayMs } from '../clock.ts'
import { eraseTexts, readOldMessages, readOldTexts, removeMessages } from '../messages/erase.ts'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import type { Writer } from '../storage/writer.ts'
import { Janitor, type JanitorDeps } from './janitor.ts'

const intervalMs = 60_000
/** Small pieces, so that accepting never waits long behind one. */
const pageSize = 500

export interface RetentionDeps extends JanitorDeps {
  read: Db
  writer: Writer
  recordDays: number
  textDays: number
  idempotencyDays: number
}

/** How far the texts of one wallet are dealt with. A restart looks once more from the beginning. */
interface Progress {
  /** Where the next pass begins: in front of the first message that was not final yet. */
  fromId: string
  /** Where this pass has come to. */
  atId: string
}

/** Keeps records and texts no longer than promised, wallet by wallet. */
export function createRetention(deps: RetentionDeps): Janitor {
  const progress = new Map<string, Progress>()

  async function eraseOf(accountId: string, mode: Mode): Promise<boolean> {
    const name = `${accountId}/${mode}`
    const { fromId, atId } = progress.get(name) ?? { fromId: '', atId: '' }
    const mark = { accountId, mode, afterId: atId }
    const texts = await readOldTexts(deps.read, mark, deps.clock.now() - deps.textDays * dayMs, pageSize)
    const served = texts.filter((message) => message.finalized_at !== null)
    if (served.length > 0) await deps.writer.write((tx) => eraseTexts(tx, served))
    progress.set(name, advance({ fromId, atId }, texts))
    const old = await readOldMessages(
      deps.read,
      { accountId, mode },
      deps.clock.now() - deps.recordDays * dayMs,
      pageSize,
    )
    if (old.length > 0) await deps.writer.write((tx) => removeMessages(tx, old))
    return texts.length === pageSize || old.length === pageSize
  }

  async function sweep(): Promise<boolean> {
    await forgetKeys(deps)
    await forgetInbound(deps)
    let more = false
    for (let after = { account_id: '', mode: '' as Mode }; ;) {
      const wallets = await deps.read
        .selectFrom('wallets')
        .select(['account_id', 'mode'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('account_id', 'mode'), '>', tuple(after.account_id, after.mode)),
        )
        .orderBy('account_id')
        .orderBy('mode')
        .limit(pageSize)
        .execute()
      for (const wallet of wallets) more = (await eraseOf(wallet.account_id, wallet.mode)) || more
      const last = wallets.at(-1)
      if (last === undefined) return more
      after = last
    }
  }

  return new Janitor(deps, { name: 'retention', intervalMs, sweep })
}

/** A message that is not final keeps its text and the place where the next pass begins, however many behind it are served. */
function advance(
  { fromId, atId }: Progress,
  page: readonly { id: string; finalized_at: number | null }[],
): Progress {
  const isUnbroken = fromId === atId
  const waiting = page.findIndex((message) => message.finalized_at === null)
  const lastServed = page.at(waiting === -1 ? -1 : waiting - 1)
  const nextFrom = isUnbroken && waiting !== 0 && lastServed !== undefined ? lastServed.id : fromId
  const isLast = page.length < pageSize
  return { fromId: nextFrom, atId: isLast ? nextFrom : (page.at(-1)?.id ?? nextFrom) }
}

/** Received messages are known again as long as their records are kept. */
async function forgetInbound({ writer, clock, recordDays }: RetentionDeps): Promise<void> {
  const beforeMs = clock.now() - recordDays * dayMs
  await writer.write((tx) => tx.deleteFrom('inbound_seen').where('received_at', '<=', beforeMs).execute())
}

/** An idempotency key lives for its days and until every message of its send is final. */
async function forgetKeys({ writer, clock, idempotencyDays }: RetentionDeps): Promise<void> {
  const beforeMs = clock.now() - idempotencyDays * dayMs
  await writer.write((tx) =>
    tx
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', beforeMs)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('sends')
              .innerJoin('messages', (join) =>
                join
                  .onRef('messages.account_id', '=', 'sends.account_id')
                  .onRef('messages.mode', '=', 'sends.mode')
                  .onRef('messages.id', '>=', 'sends.first_message_id')
                  .onRef('messages.id', '<=', 'sends.last_message_id'),
              )
              .select('messages.id')
              .whereRef('sends.account_id', '=', 'idempotency_keys.account_id')
              .whereRef('sends.id', '=', 'idempotency_keys.send_id')
              .where('messages.finalized_at', 'is', null),
          ),
        ),
      )
      .execute(),
  )
}
