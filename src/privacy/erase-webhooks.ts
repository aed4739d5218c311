import { sql } from 'kysely'
import { allDone } from '../runtime/all-done.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { EraseDeps, EraseNumber } from './erase-deps.ts'

/** Where texts and numbers stand in what endpoints were told. Bodies stand nowhere: they are made of the message at each try. */

/** Small pieces, so that sending never waits long for one. */
const pageSize = 500

/** Of each table the key by which one page of an account goes; those that are referred to come last. */
const tables = {
  webhook_attempts: ['account_id', 'endpoint_id', 'event_id', 'token'],
  webhook_deliveries: ['account_id', 'endpoint_id', 'event_id'],
  webhook_events: ['account_id', 'id'],
  webhook_endpoint_types: ['account_id', 'endpoint_id', 'type'],
  webhook_endpoints: ['account_id', 'id'],
} as const

/** Deletes one page of what an account was told and where; gives how many rows that were, 0 at the end. */
export async function dropWebhooks(
  tx: Tx,
  _: unknown,
  { accountId }: { accountId: string },
): Promise<number> {
  for (const [table, key] of Object.entries(tables) as [keyof typeof tables, readonly string[]][]) {
    const { rows } = await sql<object>`
      select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where account_id = ${accountId} limit ${pageSize}`.execute(tx)
    if (rows.length > 0) return deleteRows(tx, table, key as never, rows)
  }
  return 0
}

const triesAbout = {
  sql: `select t.account_id, t.endpoint_id, t.event_id from webhook_events e
        cross join webhook_endpoints w on w.account_id = e.account_id
        cross join webhook_attempts t on t.account_id = e.account_id and t.endpoint_id = w.id and t.event_id = e.id
        where e.account_id = :account and e.message_id = :message and t.answer is not null`,
  inputs: ['account', 'message'],
} as const

type Named = Readonly<{ account_id: string; id: string }>

/** Erases what receivers answered to the events of these messages: it may repeat what they were told. */
export async function eraseAnswersAbout(tx: Tx, messages: readonly Named[]): Promise<void> {
  const inputs = messages.map(({ account_id, id }) => [account_id, id])
  await eraseAnswers(tx, await selectEach<Try>(tx, triesAbout, inputs))
}

/** Erases what others said of these messages: the network in their events, and receivers in their answers. */
export async function eraseWebhooksAbout(tx: Tx, messages: readonly Named[]): Promise<void> {
  await allDone([
    updateRows(
      tx,
      'webhook_events',
      ['account_id', 'message_id'],
      messages.map(({ account_id, id }) => ({ account_id, message_id: id, network_code: null })),
    ),
    eraseAnswersAbout(tx, messages),
  ])
}

const triesAboutPerson = {
  sql: `select t.account_id, t.endpoint_id, t.event_id from webhook_endpoints w
        cross join webhook_attempts t on t.account_id = w.account_id and t.endpoint_id = w.id and t.event_id = :event
        where w.account_id = :account and t.answer is not null`,
  inputs: ['account', 'event'],
} as const

/** Erases a number from events about a person, such as an opt-out, and from what receivers answered to them. */
export async function eraseInEvents(
  { writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  await writer.write(async (tx) => {
    let query = tx.selectFrom('webhook_events').select(['account_id', 'id']).where('recipient', '=', number)
    if (accountId !== null) query = query.where('account_id', '=', accountId)
    const events = await query.execute()
    const inputs = events.map(({ account_id, id }) => [account_id, id])
    const tries = await selectEach<Try>(tx, triesAboutPerson, inputs)
    const blank = events.map((event) => ({ ...event, recipient: null }))
    await allDone([updateRows(tx, 'webhook_events', ['account_id', 'id'], blank), eraseAnswers(tx, tries)])
  })
}

interface Try {
  account_id: string
  endpoint_id: string
  event_id: string
}

const eraseAnswers = (tx: Tx, tries: readonly Try[]): Promise<number> =>
  updateRows(
    tx,
    'webhook_attempts',
    ['account_id', 'endpoint_id', 'event_id'],
    tries.map((row) => ({ ...row, answer: null })),
  )
