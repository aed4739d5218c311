import { allDone } from '../../runtime/all-done.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { MessageStatus } from '../../storage/tables/schema.ts'
import { addToRows, adjustRows } from '../../storage/seam/sets.ts'
import type { TrafficGrain, TrafficMeasure, TrafficTable } from '../../storage/tables/traffic-tables.ts'
import { deliveredAtOf, type MessageState, sentAtOf } from './message-store.ts'
import { stepOf } from './time-scale.ts'

/** Statuses with a count of their own. A message in none of them is not final: `accepted` less their sum. */
export const countedStates = [
  'sent', 'delivered', 'undelivered', 'failed', 'expired', 'canceled', 'unconfirmed',
] as const satisfies readonly MessageStatus[] // prettier-ignore
export type CountedState = (typeof countedStates)[number]

/**
 * Five minutes are for ranges within a day, six hours for longer ones. With one hour instead of six, a range
 * of 90 days read six times as many rows and took 87 ms of CPU instead of 8 ms (`npm run bench -- --rows
 * overview`).
 */
export const grainMs: Readonly<Record<TrafficGrain, number>> = { minutes5: 300_000, hours6: 21_600_000 }
/** How long five-minute counts are kept: the last hours, and the same hours a week before. */
export const minutes5Days = 8
/** The minimum for six-hour counts: a view of 90 days, and the week before it. */
export const minTrafficDays = 97

const grains = ['hours6', 'minutes5'] as const satisfies readonly TrafficGrain[]

type Counter = CountedState | 'accepted' | 'received' | 'archived'
/** The columns that a message is counted by. */
type Counted = Pick<MessageState, 'account_id' | 'mode' | 'created_at'>
type TrafficKey = Pick<TrafficTable, 'account_id' | 'mode' | 'grain' | 'bucket'>

type CountRow = TrafficKey & Record<Counter, number>
type TimeRow = TrafficKey & { measure: TrafficMeasure; step: number; messages: number }

/** The counts of messages that were accepted within the same five minutes, one row for each grain. */
interface PlaceRows {
  counts: readonly CountRow[]
  times: Map<number, readonly TimeRow[]>
}

const key = ['account_id', 'mode', 'grain', 'bucket'] as const
const timeKey = [...key, 'measure', 'step'] as const

/**
 * Sums the changes of a batch to the counts of `traffic`, so that each row is written once. Costs about 6 µs
 * per message in a batch of 50, over its whole life: 5 to 8% of the CPU time without network and flush.
 *
 * A message counts where it was accepted, no matter when its status changes. Counts that retention has
 * removed stay removed.
 */
export class TrafficChanges {
  readonly #places = new Map<string, PlaceRows>()
  readonly #counts = new Map<string, CountRow>()
  readonly #times = new Map<string, TimeRow>()

  /** Counts the change of a message from one state to another. */
  moved(before: MessageState, after: MessageState): void {
    if (before.status !== after.status) {
      if (isCounted(before.status)) this.#count(before, before.status, -1)
      if (isCounted(after.status)) this.#count(after, after.status, 1)
    }
    if (before.sent_at === null) this.#timeIfAny(after, 'to_sent', sentAtOf(after))
    if (before.delivered_at === null) this.#timeIfAny(after, 'to_delivered', deliveredAtOf(after))
    // A part of a delivered message failed later.
    if (after.delivered_at === null) this.#timeIfAny(before, 'to_delivered', deliveredAtOf(before), -1)
  }

  /** Keeps a removed message counted. */
  archived(message: Counted): void {
    this.#countRow(placeOf(message, 'hours6')).archived += 1
  }

  /** Writes the sums. */
  async apply(tx: Tx): Promise<void> {
    const amounts = [...countedStates, 'archived'] as const
    const times = inOrder(this.#times)
    await allDone([
      adjustRows(tx, 'traffic', { key, amounts }, inOrder(this.#counts).filter(isChanged)),
      addToRows(
        tx,
        'traffic_times',
        { key: timeKey, amounts: ['messages'] },
        times.filter(({ messages }) => messages > 0),
      ),
    ])
    for (const row of times.filter(({ messages }) => messages < 0)) await subtractTime(tx, row)
  }

  #count(message: Counted, counter: Counter, amount: number): void {
    for (const row of this.#at(message).counts) row[counter] += amount
  }

  #timeIfAny(message: MessageState, measure: TrafficMeasure, atMs: number | null, amount = 1): void {
    if (atMs !== null) this.#time(message, measure, atMs, amount)
  }

  #time(message: MessageState, measure: TrafficMeasure, atMs: number, amount = 1): void {
    // A scheduled message is measured from its send time.
    const step = stepOf(Math.max(0, atMs - (message.send_at ?? message.created_at)))
    const { times } = this.#at(message)
    const slot = measure === 'to_sent' ? step : -1 - step
    let rows = times.get(slot)
    if (rows === undefined)
      times.set(slot, (rows = grains.map((grain) => this.#timeRow(placeOf(message, grain), measure, step))))
    for (const row of rows) row.messages += amount
  }

  /** Returns the rows of a message. Most messages of a batch share them, under one name. */
  #at(message: Counted): PlaceRows {
    const { account_id, mode, created_at } = message
    const name = `${account_id}/${mode}/${created_at - (created_at % grainMs.minutes5)}`
    let found = this.#places.get(name)
    if (found === undefined) {
      const counts = grains.map((grain) => this.#countRow(placeOf(message, grain)))
      this.#places.set(name, (found = { counts, times: new Map() }))
    }
    return found
  }

  #countRow(place: TrafficKey): CountRow {
    const name = nameOf(place)
    let row = this.#counts.get(name)
    if (row === undefined) this.#counts.set(name, (row = { ...place, ...zeroCounts }))
    return row
  }

  #timeRow(place: TrafficKey, measure: TrafficMeasure, step: number): TimeRow {
    const name = `${nameOf(place)}/${measure}/${step}`
    let row = this.#times.get(name)
    if (row === undefined) this.#times.set(name, (row = { ...place, measure, step, messages: 0 }))
    return row
  }
}

/**
 * Subtracts a time that was counted. A row of zero is deleted; a row that retention has removed is not
 * recreated.
 */
async function subtractTime(tx: Tx, row: TimeRow): Promise<void> {
  const { messages, ...place } = row
  await tx
    .deleteFrom('traffic_times')
    .where((is) => is.and(place))
    .where('messages', '<=', -messages)
    .execute()
  await adjustRows(tx, 'traffic_times', { key: timeKey, amounts: ['messages'] }, [row])
}

/** Counts new messages, `messages` of each. */
export async function countNew(
  tx: Tx,
  what: 'accepted' | 'received',
  batches: readonly (Counted & { messages: number })[],
): Promise<void> {
  const rows = new Map<string, TrafficKey & { [counter in typeof what]?: number }>()
  for (const batch of batches)
    for (const grain of grains) {
      const place = placeOf(batch, grain)
      const name = nameOf(place)
      rows.set(name, { ...place, [what]: (rows.get(name)?.[what] ?? 0) + batch.messages })
    }
  await addToRows(tx, 'traffic', { key, amounts: [what] }, inOrder(rows))
}

const isCounted = (status: MessageStatus): status is CountedState =>
  (countedStates as readonly string[]).includes(status)

/** Changes that cancel each other within a batch are not written. */
const isChanged = (row: CountRow): boolean =>
  row.archived !== 0 || countedStates.some((state) => row[state] !== 0)

const zeroCounts: Readonly<Record<Counter, number>> = {
  accepted: 0, received: 0, archived: 0, sent: 0, delivered: 0, undelivered: 0, failed: 0, expired: 0, canceled: 0, unconfirmed: 0,
} // prettier-ignore

const placeOf = ({ account_id, mode, created_at }: Counted, grain: TrafficGrain): TrafficKey => ({
  account_id,
  mode,
  grain,
  bucket: created_at - (created_at % grainMs[grain]),
})

const nameOf = ({ account_id, mode, grain, bucket }: TrafficKey): string =>
  `${account_id}/${mode}/${grain}/${bucket}`

/** Rows are locked in this order. */
const inOrder = <T>(rows: ReadonlyMap<string, T>): T[] =>
  [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
