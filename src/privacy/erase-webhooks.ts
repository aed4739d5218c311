import { sql } from 'kysely'
import { allDone } from '../runtime/all-done.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { EraseDeps, EraseNumber } from './erase-deps.ts'

/**
 * Erases texts and numbers in webhook records. Bodies are not stored: they are built from the message at each
 * attempt.
 */

/** Small pages, so that sends never wait long for one. */
const pageSize = 500

/** The key of each table, by which a page of an account is deleted; referenced tables come last. */
const tables = {
  webhook_attempts: ['account_id', 'endpoint_id', 'event_id', 'token'],
  webhook_deliveries: ['account_id', 'endpoint_id', 'event_id'],
  webhook_events: ['account_id', 'id'],
  webhook_endpoint_types: ['account_id', 'endpoint_id', 'type'],
  webhook_endpoints: ['account_id', 'id'],
} as const

/**
 * Deletes one page of an account's events, deliveries and endpoints; returns the number of rows, 0 at the
 * end.
 */
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

const attemptsAbout = {
  sql: `select t.account_id, t.endpoint_id, t.event_id from webhook_events e
        cross join webhook_endpoints w on w.account_id = e.account_id
        cross join webhook_attempts t on t.account_id = e.account_id and t.endpoint_id = w.id and t.event_id = e.id
        where e.account_id = :account and e.message_id = :message and t.answer is not null`,
  inputs: ['account', 'message'],
} as const

type Named = Readonly<{ account_id: string; id: string }>

/** Erases the responses of endpoints to the events of these messages: they can repeat the event. */
export async function eraseAnswersAbout(tx: Tx, messages: readonly Named[]): Promise<void> {
  const inputs = messages.map(({ account_id, id }) => [account_id, id])
  await eraseAnswers(tx, await selectEach<AttemptKey>(tx, attemptsAbout, inputs))
}

/**
 * Erases foreign texts about these messages: the network's codes in their events, and the responses of
 * endpoints.
 */
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

const attemptsAboutRecipient = {
  sql: `select t.account_id, t.endpoint_id, t.event_id from webhook_endpoints w
        cross join webhook_attempts t on t.account_id = w.account_id and t.endpoint_id = w.id and t.event_id = :event
        where w.account_id = :account and t.answer is not null`,
  inputs: ['account', 'event'],
} as const

/**
 * Erases a number in events about a recipient, such as an opt-out, and in the responses of endpoints to them.
 */
export async function eraseInEvents(
  { writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  await writer.write(async (tx) => {
    let query = tx.selectFrom('webhook_events').select(['account_id', 'id']).where('recipient', '=', number)
    if (accountId !== null) query = query.where('account_id', '=', accountId)
    const events = await query.execute()
    const inputs = events.map(({ account_id, id }) => [account_id, id])
    const attempts = await selectEach<AttemptKey>(tx, attemptsAboutRecipient, inputs)
    const blank = events.map((event) => ({ ...event, recipient: null }))
    await allDone([updateRows(tx, 'webhook_events', ['account_id', 'id'], blank), eraseAnswers(tx, attempts)])
  })
}

interface AttemptKey {
  account_id: string
  endpoint_id: string
  event_id: string
}

const eraseAnswers = (tx: Tx, attempts: readonly AttemptKey[]): Promise<number> =>
  updateRows(
    tx,
    'webhook_attempts',
    ['account_id', 'endpoint_id', 'event_id'],
    attempts.map((row) => ({ ...row, answer: null })),
  )
