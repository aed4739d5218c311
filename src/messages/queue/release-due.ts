import { readCountries } from '../../accounts/core/account-guard.ts'
import type { RealKinds } from '../../devices/core/carrying.ts'
import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { addToRows, insertRows, selectEach } from '../../storage/seam/sets.ts'
import { type Advance, advanceMessages } from '../core/advance-messages.ts'
import type { Change } from '../core/change-number.ts'
import { isTestNumber } from '../../numbers/test-number.ts'
import { type DeferredRow, endDeferral } from './deferred.ts'
import { type MessageState, stateColumnsOf } from '../core/message-store.ts'
import { queueTotalShape } from './queue-totals.ts'
import { strandedAmong } from './stranded.ts'

/** The result of releasing messages whose time has come. */
export interface Released {
  /** Rows that were read: as many as requested means that there may be more. */
  found: number
  /** The routes with newly queued messages, each once. */
  routes: { account_id: string; mode: Mode; route_key: string }[]
  /** New states, including those of messages that have expired. */
  states: MessageState[]
}

type DueRow = MessageState &
  Pick<DeferredRow, 'reason' | 'route_key' | 'priority' | 'refusals'> & {
    country: string | null
    /** Allowed countries of the account, as stored. */
    countries: string | null
  }

const due = {
  sql: `select ${stateColumnsOf('m')}, d.reason, d.route_key, d.priority, d.refusals, m.country, a.countries
        from deferred d cross join messages m on m.account_id = d.account_id and m.mode = d.mode and m.id = d.message_id
        cross join accounts a on a.id = d.account_id
        where d.restore_hold = 0 and d.wake_at <= :due order by d.wake_at limit :most`,
  inputs: ['due', 'most'],
} as const

/**
 * Queues messages whose time has come: `scheduled` becomes `queued`; a message delayed by quiet hours already
 * is. A message past its validity becomes `expired`, and one to a country that the account is no longer
 * allowed to send to `canceled`. `dueMs` is the time by which they are due, with several nodes the
 * database's; validity is judged by the time of the unit.
 */
export async function releaseDue(
  tx: Tx,
  unit: Change,
  { dueMs, most, kinds }: { dueMs: number; most: number; kinds: RealKinds },
): Promise<Released> {
  const rows = await selectEach<DueRow>(tx, due, [[dueMs, most]])
  if (rows.length === 0) return { found: 0, routes: [], states: [] }
  const { nowMs } = unit
  const late = rows.filter((row) => isLate(row, nowMs))
  const stranded = await strandedAmong(tx, late, kinds)
  const codeOf = (row: DueRow): string => (stranded.has(row) ? 'no_own_device' : 'expired_in_queue')
  const moved = await advanceMessages(
    tx,
    unit,
    rows.flatMap((row) => advancesOf(row, { nowMs, codeOf })),
  )
  // A message that is due and expires at the same time is in the batch twice: its last state counts.
  const states = new Map(moved.flatMap((state) => (state === null ? [] : [[nameOf(state), state]])))
  const waiting = rows.flatMap((row) => {
    const state = states.get(nameOf(row)) ?? row
    return state.status === 'queued' ? [{ ...row, ...state }] : []
  })
  await allDone([
    endDeferral(
      tx,
      rows.map((row) => ({ ...row, message_id: row.id })),
    ),
    insertRows(
      tx,
      'queue',
      waiting.map((row) => queueRow(row, nowMs)),
    ),
    addToRows(tx, 'queue_totals', queueTotalShape, waiting.map(totalRow)),
  ])
  const routes = new Map(
    waiting.map((row) => [`${row.account_id}/${row.route_key}`, pickRoute(row)] as const),
  )
  return { found: rows.length, routes: [...routes.values()], states: [...states.values()] }
}

const nameOf = ({ account_id, mode, id }: Pick<MessageState, 'account_id' | 'mode' | 'id'>): string =>
  `${account_id}/${mode}/${id}`

const isLate = ({ expires_at: expiresAt }: DueRow, nowMs: number): boolean => (expiresAt as number) <= nowMs

function advancesOf(
  row: DueRow,
  { nowMs, codeOf }: { nowMs: number; codeOf: (row: DueRow) => string },
): Advance[] {
  if (!isAllowed(row)) {
    const error = { code: 'destination_not_allowed', networkCode: null }
    return [{ message: row, trigger: 'canceled', atMs: nowMs, error }]
  }
  const becomesDue: Advance[] =
    row.status === 'scheduled' ? [{ message: row, trigger: 'due', atMs: nowMs }] : []
  if (!isLate(row, nowMs)) return becomesDue
  const error = { code: codeOf(row), networkCode: null }
  return [...becomesDue, { message: row, trigger: 'validity_ended', atMs: nowMs, error }]
}

/** Checked again, as at accept: an operator may have changed the countries since. */
const isAllowed = ({ recipient, country, countries }: DueRow): boolean =>
  countries === null || isTestNumber(recipient) || (readCountries(countries) ?? []).includes(country ?? '')

const queueRow = (row: DueRow, nowMs: number) => ({
  route_key: row.route_key,
  account_id: row.account_id,
  priority: row.priority,
  // The clock may have been set back: a message is not due before it was accepted.
  due_at: Math.max(nowMs, row.created_at),
  message_id: row.id,
  mode: row.mode,
  parts: row.parts,
  expires_at: row.expires_at as number,
  refusals: row.refusals,
})

const totalRow = (row: DueRow) => ({
  ...pickRoute(row),
  messages: 1,
  parts: row.parts,
  next_expiry_at: row.expires_at as number,
})

const pickRoute = ({ account_id, mode, route_key }: DueRow) => ({ account_id, mode, route_key })
