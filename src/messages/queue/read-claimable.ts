import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { Encoding } from '../../storage/tables/schema.ts'
import type { MessageState } from '../core/message-store.ts'
import { dueBefore, findKnown, priorities, type ReadRequest } from './known-of-route.ts'
import type { PlanRooms } from './plan-rooms.ts'
import type { QueuePosition } from './queue-position.ts'

/** What a claim reads of a message. */
const claimedColumns = [
  'account_id', 'mode', 'id', 'status', 'recipient', 'sender', 'category', 'parts', 'on_unknown', 'attempts', 'possible_duplicate', 'sequence',
  'expires_at',
] as const satisfies readonly (keyof MessageState)[] // prettier-ignore

/** `request` is the index of its claim request in the batch. */
export type ClaimRow = Pick<MessageState, (typeof claimedColumns)[number]> &
  QueuePosition & {
    text: string
    encoding: Encoding
    country: string | null
    request: number
    is_opted_out: 1 | null
    sim?: number | null
    planCounts?: string
  }

/** Finds an opt-out of the recipient. The one message that confirms an opt-out may still be sent. */
const optedOut = `select 1 from opt_outs o where o.account_id = q.account_id and o.mode = q.mode and o.recipient = m.recipient
          and (o.forget_at is null or o.forget_at > :now) and (o.confirmation_id is null or o.confirmation_id <> q.message_id)`

/**
 * Reads the queue of one route in its own order: priority, then due time. Nothing is claimed after its validity
 * (P8), by the wall clock; a clock that never steps back decides when a message is due.
 */
const ofRoute = {
  sql: `select ${claimedColumns.map((column) => `m.${column}`).join(', ')}, m.text, m.encoding, m.country, q.route_key, q.priority, q.due_at, q.refusals, :request as request, (${optedOut}) as is_opted_out
        from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id
        where (:lease is null or exists (select 1 from devices d where d.id = :device and d.lease_token = :lease))
          and not exists (select 1 from nodes n where n.epoch = :fence and n.left_at is not null)
          and q.route_key = :route and q.account_id = :account and q.due_at <= :due and q.expires_at > :now
          and q.restore_hold = 0 and q.parts > :over and q.parts <= :most`,
  inputs: ['route', 'account', 'due', 'now', 'over', 'most', 'request', 'device', 'lease', 'fence'],
  numbers: ['lease'],
} as const

const inOrder = 'order by q.priority, q.due_at, q.message_id limit :quota'

const nextOfRoute = {
  ...ofRoute,
  sql: `${ofRoute.sql}
        ${inOrder}`,
  inputs: [...ofRoute.inputs, 'quota'],
} as const

/**
 * The same of messages of one priority, for those that have been due for some time: the time is behind the priority in the key
 * of the queue, so that one statement for all priorities would read every message that has not waited so long.
 */
const nextWaited = {
  ...ofRoute,
  sql: `${ofRoute.sql} and q.priority = :priority
        ${inOrder}`,
  inputs: [...ofRoute.inputs, 'quota', 'priority'],
} as const

const oneOfRoute = {
  ...ofRoute,
  sql: `${ofRoute.sql} and q.priority = :priority and q.due_at = :at and q.message_id = :id`,
  inputs: [...ofRoute.inputs, 'priority', 'at', 'id'],
} as const

export interface ClaimInput {
  requests: readonly ReadRequest[]
  nowMs: number
  dueMs: number
  fence: number
}

interface Asked {
  request: ReadRequest
  inputs: readonly (string | number | null)[]
}

/**
 * Reads the next messages for each request. A device whose SIMs know as many numbers as their plans include gets only what
 * is for these, before others, and one whose plans include nothing more gets none. Requests for messages that have waited
 * read one priority after the other.
 */
export async function readNext(tx: Tx, input: ClaimInput, plans: PlanRooms | null): Promise<ClaimRow[]> {
  const asked = input.requests.map((request, i) => ({ request, inputs: inputsOf(input, request, i) }))
  const { any = [], known = [] } =
    plans === null ? { any: asked } : Object.groupBy(asked, ({ request }) => plans.roomFor(request))
  const first = plans === null ? [] : await readKnown(tx, plans, known, input)
  const waiting = any.filter(({ request }) => request.waitedMs !== undefined)
  const [rows, waited] = await allDone([
    selectEach<ClaimRow>(
      tx,
      nextOfRoute,
      (waiting.length === 0 ? any : any.filter((each) => !waiting.includes(each))).map(withQuota),
    ),
    selectEach<ClaimRow>(
      tx,
      nextWaited,
      waiting.flatMap((each) => priorities.map((priority) => [...withQuota(each), priority])),
    ),
  ])
  if (first.length + waited.length === 0) return rows
  const left = input.requests.map(({ quota }) => quota)
  const within = waited.filter(({ request }) => ((left[request] as number) -= 1) >= 0)
  return [...first, ...rows, ...within]
}

const inputsOf = (input: ClaimInput, request: ReadRequest, i: number): Asked['inputs'] => [
  request.routeKey,
  request.accountId,
  dueBefore(input, request),
  input.nowMs,
  request.partsOver,
  request.partsUpTo,
  i,
  request.deviceId,
  request.leaseToken ?? null,
  input.fence,
]

const withQuota = ({ request, inputs }: Asked) => [...inputs, request.quota]

/** Reads what devices at their limit of numbers may send: each request looks for it in its route. */
async function readKnown(
  tx: Tx,
  plans: PlanRooms,
  asked: readonly Asked[],
  input: ClaimInput,
): Promise<ClaimRow[]> {
  const found: ClaimRow[] = []
  for (const { request, inputs } of asked) {
    const places = await findKnown(tx, plans, request, input)
    const keys = places.map(({ priority, due_at, message_id }) => [...inputs, priority, due_at, message_id])
    found.push(...(await selectEach<ClaimRow>(tx, oneOfRoute, keys)))
  }
  return found
}

/** Returns each message once: for the first request that has read it. */
export function onceEach(rows: readonly ClaimRow[]): readonly ClaimRow[] {
  const seen = new Set<string>()
  const first = rows.filter(({ id }) => {
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
  return first.length === rows.length ? rows : first
}
