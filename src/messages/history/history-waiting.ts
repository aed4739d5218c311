import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../storage/seam/dialect.ts'
import { type HistoryRequest, maxRowsRead } from './history-query.ts'
import { type Change, compare, place, type Span } from './history-span.ts'

/** Rows read of each queue of a route: one for each priority. */
const maxWaitingRead = 500
const priorities = [0, 1, 2]
/** Routes looked at in one statement. */
const routesAtOnce = 10

/** A route on which messages of the account wait: how many, all its priorities together. */
export interface WaitingRoute {
  route_key: string
  messages: number
}

/** All of them. What waits on one that appears later has changed behind the horizon. */
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

/** What is read of some queues for a span, in the order of the changes. */
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

/** The place up to which what waits on these routes may be looked at; none where all of it within the span is read. One statement at a time, too. */
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
 * Where the reading of each longer queue stops, if within the span. Rows behind it changed later, but for those that are due later than they changed,
 * after a refusal or quiet hours: they may be missed here, and are seen when they move on.
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

/** A part of each queue of some routes, at least one, in one statement. */
function ofEachQueue(
  db: Db,
  request: HistoryRequest,
  after: Change,
  routes: readonly WaitingRoute[],
  cut: (queue: ReturnType<typeof queueBehind>) => ReturnType<typeof queueBehind>,
) {
  const [first, ...others] = routes
    .flatMap(({ route_key }) =>
      priorities.map((priority) => queueBehind(db, request, after, route_key, priority)),
    )
    .map((queue) => db.selectFrom(cut(queue).as('next')).selectAll())
  return others.reduce((all, rows) => all.unionAll(rows), first as NonNullable<typeof first>)
}

/**
 * What waits in a queue and changed behind a place. But for what kept its place (`keptWithin`) no message is due before its last change, so the
 * order of the queue finds it.
 */
const queueBehind = (db: Db, { owner }: HistoryRequest, after: Change, routeKey: string, priority: number) =>
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

/** What waits again in the place that it had, with an index of its own: as much as the windows of the account's devices hold, all together. */
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
