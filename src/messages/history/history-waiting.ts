import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import { type HistoryRequest, maxRowsRead } from './history-query.ts'
import { type Change, compare, place, type Span } from './history-span.ts'

/** Maximum rows read of each queue of a route; there is one for each priority. */
const maxWaitingRead = 500
const priorities = [0, 1, 2]
/** Routes read in one statement. */
const routesAtOnce = 10

/** A route on which messages of the account are queued: how many, over all its priorities. */
export interface WaitingRoute {
  route_key: string
  messages: number
}

/** Returns all of them. Messages on a route that appears later have changed after the horizon. */
export function waitingRoutes(db: Db, { owner }: HistoryRequest): Promise<WaitingRoute[]> {
  return db
    .selectFrom('queue_totals')
    .select(['route_key', 'messages'])
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where('messages', '>', 0)
    .execute()
}

export const groupsOf = (routes: readonly WaitingRoute[]): WaitingRoute[][] =>
  Array.from({ length: Math.ceil(routes.length / routesAtOnce) }, (_, i) =>
    routes.slice(i * routesAtOnce, (i + 1) * routesAtOnce),
  )

/** Selects the rows read of some queues for a span, in the order of the changes. */
export const waitingWithin = (
  db: Db,
  request: HistoryRequest,
  { after, below }: Span,
  routes: readonly WaitingRoute[],
) =>
  db
    .selectFrom(ofEachQueue(db, request, after, routes, (rows) => rows.limit(maxWaitingRead)).as('waits'))
    .where(sql<SqlBool>`(changed_at, message_id) < ${place(below)}`)
    .orderBy('changed_at')
    .orderBy('message_id')

/**
 * Returns the position up to which these routes are read; none when the whole span is read. One statement at
 * a time.
 */
export async function waitingBounds(
  db: Db,
  request: HistoryRequest,
  span: Span,
  routes: readonly WaitingRoute[],
): Promise<Change[]> {
  const long = groupsOf(routes.filter(({ messages }) => messages >= maxWaitingRead))
  const many = span.conditions.length === 0 ? [] : groupsOf(routes).filter(holdsMoreThanIsRead)
  let { below } = span
  for (const group of long)
    below = earliest([below, ...(await endsOfQueues(db, request, { ...span, below }, group))])
  for (const group of many)
    below = earliest([
      below,
      ...(await waitingWithin(db, request, { ...span, below }, group)
        .select(['changed_at as atMs', 'message_id as id'])
        .limit(1)
        .offset(maxRowsRead - 1)
        .execute()),
    ])
  const isNarrower = below !== span.below
  return isNarrower ? [below] : []
}

const earliest = (places: readonly [Change, ...Change[]]): Change =>
  places.reduce((one, other) => (compare(other, one) < 0 ? other : one))

const holdsMoreThanIsRead = (group: readonly WaitingRoute[]): boolean =>
  group.reduce((sum, { messages }) => sum + messages, 0) >= maxRowsRead

/**
 * Returns where the reading of each longer queue stops, if within the span. Rows after it changed later,
 * except those that are due later than they changed, after a refusal or quiet hours: this page can miss them,
 * but reports them at their next change.
 */
async function endsOfQueues(
  db: Db,
  request: HistoryRequest,
  { after, below }: Span,
  routes: readonly WaitingRoute[],
): Promise<Change[]> {
  const rows = await ofEachQueue(db, request, after, routes, (queue) =>
    queue.limit(1).offset(maxWaitingRead - 1),
  ).execute()
  return rows
    .map(({ changed_at, message_id }) => ({ atMs: changed_at, id: message_id }))
    .filter((end) => compare(end, below) < 0)
}

/** Selects a section of each queue of some routes (at least one) in one statement. */
function ofEachQueue(
  db: Db,
  request: HistoryRequest,
  after: Change,
  routes: readonly WaitingRoute[],
  cut: (queue: ReturnType<typeof queueAfter>) => ReturnType<typeof queueAfter>,
) {
  const [first, ...others] = routes
    .flatMap(({ route_key }) =>
      priorities.map((priority) => queueAfter(db, request, after, route_key, priority)),
    )
    .map((queue) => db.selectFrom(cut(queue).as('next')).selectAll())
  return others.reduce((all, rows) => all.unionAll(rows), first as NonNullable<typeof first>)
}

/**
 * Selects the messages of a queue that changed after a position. Except for those that kept their position
 * (`keptWithin`), no message is due before its last change, so the order of the queue finds it.
 */
const queueAfter = (db: Db, { owner }: HistoryRequest, after: Change, routeKey: string, priority: number) =>
  db
    .selectFrom('queue')
    .select(['message_id', 'changed_at'])
    .where('route_key', '=', routeKey)
    .where('account_id', '=', owner.accountId)
    .where('priority', '=', priority)
    .where(sql<SqlBool>`(due_at, message_id) > ${place(after)}`)
    .where(sql<SqlBool>`(changed_at, message_id) > ${place(after)}`)
    .where(sql<SqlBool>`due_at >= changed_at`)
    .where('claimed_by', 'is', null)
    .orderBy('due_at')
    .orderBy('message_id')

/**
 * Selects the messages that were requeued at their former position; they have an index of their own. At most
 * the windows of the account's devices, together.
 */
export const keptWithin = (db: Db, { owner }: HistoryRequest, { after, below }: Span) =>
  db
    .selectFrom('queue')
    .where('account_id', '=', owner.accountId)
    .where('mode', '=', owner.mode)
    .where(sql<SqlBool>`changed_at > due_at`)
    .where(sql<SqlBool>`(changed_at, message_id) > ${place(after)}`)
    .where(sql<SqlBool>`(changed_at, message_id) < ${place(below)}`)
    .where('claimed_by', 'is', null)
    .orderBy('changed_at')
    .orderBy('message_id')
