import { hourMs } from '../runtime/clock.ts'
import type { Caller } from '../accounts/keys/authenticator.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import { everySpelling } from '../numbers/number-changes.ts'
import type { Category } from '../storage/tables/schema.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf } from './pumping-watch.ts'
import { codesWindowMs } from './recipient-rate.ts'
import type { SendPorts } from './send-ports.ts'

/** How many of these times, and `atMs` beside them, lie within the fullest window of `windowMs` that holds it, and when that has passed. */
export function busiestWindow(
  times: readonly number[],
  atMs: number,
  windowMs = hourMs,
): { messages: number; endsMs: number } {
  const sorted = [...times, atMs].toSorted((a, b) => a - b)
  let busiest = { messages: 0, endsMs: 0 }
  let from = 0
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] as number) >= windowMs) from += 1
    const startMs = sorted[from] as number
    const messages = to - from + 1
    if (time >= atMs && startMs <= atMs && messages > busiest.messages)
      busiest = { messages, endsMs: startMs + windowMs }
  }
  return busiest
}

/** Messages of one account in a window; 0: as many as it likes. */
export interface RecipientLimits {
  perNumber: number
  perPrefix: number
}

interface Planned {
  recipients: CheckedSend['recipients']
  sendAtMs: number
  nowMs: number
}

/** What goes to one name: messages of the database, and those that are judged beside this send and may yet be refused themselves. */
interface Ahead {
  stored: number[]
  underWay: readonly number[]
}

/** When to ask again where only what is under way leaves no room: it is stored or refused by then. */
const underWaySeconds = 5

const neighboursFault = 'This number, or its neighbours, were sent too many messages.'

/** What is limited, and what is said beyond it. */
interface PlannedKind {
  windowMs: number
  /** Messages of one category alone; null: of all. */
  category: Category | null
  policy: string
  detail: string
  fault: string
}

export const plannedHours: PlannedKind = {
  windowMs: hourMs,
  category: null,
  policy: 'recipients-per-hour',
  detail: 'These numbers, or their neighbours, have their messages for that hour; choose another time.',
  fault: neighboursFault,
}

export const plannedCodes: PlannedKind = {
  windowMs: codesWindowMs,
  category: 'authentication',
  policy: 'authentication-messages',
  detail: 'These numbers have their authentication messages for those 10 minutes; choose another time.',
  fault: 'This number is sent too many codes.',
}

/** The limits of what goes to one number and to neighbouring numbers in the hour, or so long, of a scheduled message. */
export class PlannedRate {
  readonly #ports: Pick<SendPorts, 'timesTo'>
  readonly #kind: PlannedKind
  /** Times of what was judged and is not stored yet, by account, mode and name: sends at once see one another. */
  readonly #underWay = new Map<string, number[]>()

  constructor(ports: Pick<SendPorts, 'timesTo'>, kind: PlannedKind) {
    this.#ports = ports
    this.#kind = kind
  }

  /**
   * Refuses (429) what the database, and what is under way, leaves no room for; gives what is to be called once it is stored or refused. One that is
   * stored just now may be seen twice, so that of several at once at the limit one too many may be refused, never taken.
   */
  async judge(caller: Caller, planned: Planned, limits: RecipientLimits): Promise<() => void> {
    const { accountId, mode } = caller
    const { recipients, sendAtMs } = planned
    const { windowMs, category } = this.#kind
    const ranges = recipients.map(({ to }) => rangesOf(to, limits))
    // One of two windows beside each other holds more than the limit where both together hold twice as many.
    const asked = new Map(ranges.flat().map((range) => [range.name, range]))
    const spans = [...asked.values()].flatMap(({ name, spans: of, most }) =>
      of.map((span) => ({ ...span, name, most: 2 * most })),
    )
    const ahead = new Map(
      [...asked.keys()].map((name): [string, Ahead] => [
        name,
        { stored: [], underWay: this.#timesOf(caller, name) },
      ]),
    )
    const names = ranges.flat().map(({ name }) => name)
    for (const name of names)
      this.#underWay.set(keyOf(caller, name), [...this.#timesOf(caller, name), sendAtMs])
    const forget = (): void => names.forEach((name) => this.#forget(keyOf(caller, name), sendAtMs))
    try {
      // From when to when lies what may share a window with this time; both ends do not.
      const around = {
        accountId,
        mode,
        category,
        afterMs: sendAtMs - windowMs,
        beforeMs: sendAtMs + windowMs,
      }
      const stored = await this.#ports.timesTo(around, spans)
      for (const [name, times] of stored) ahead.get(name)?.stored.push(...times)
      refuseBeyond(this.#kind, planned, ranges, ahead)
      return forget
    } catch (error) {
      forget()
      throw error
    }
  }

  #timesOf(caller: Caller, name: string): readonly number[] {
    return this.#underWay.get(keyOf(caller, name)) ?? []
  }

  #forget(key: string, atMs: number): void {
    const times = this.#underWay.get(key) ?? []
    const left = times.toSpliced(times.indexOf(atMs), 1)
    if (left.length === 0) this.#underWay.delete(key)
    else this.#underWay.set(key, left)
  }
}

const keyOf = ({ accountId, mode }: Caller, name: string): string => `${accountId}:${mode}:${name}`

/** Numbers that are limited together, in each of their spellings. */
interface Range {
  name: string
  spans: { first: string; last: string }[]
  most: number
}

function rangesOf(to: string, { perNumber, perPrefix }: RecipientLimits): Range[] {
  const spellings = everySpelling(to)
  const [present = to] = spellings
  const neighbours = spellings.map(prefixOf)
  return [
    { name: present, spans: spellings.map((each) => ({ first: each, last: each })), most: perNumber },
    {
      name: `${prefixOf(present)}*`,
      spans: neighbours.map((prefix) => ({ first: `${prefix}000`, last: `${prefix}999` })),
      most: perPrefix,
    },
  ].filter(({ most }) => most > 0)
}

function refuseBeyond(
  { windowMs, policy, detail, fault }: PlannedKind,
  { recipients, sendAtMs, nowMs }: Planned,
  ranges: readonly (readonly Range[])[],
  ahead: ReadonlyMap<string, Ahead>,
): void {
  const waits = ranges.map((of) => {
    // Of several neighbours in one send each sees those before it.
    const wait = Math.max(
      ...of.map(({ name, most }) => waitSeconds(ahead.get(name), { sendAtMs, nowMs, most, windowMs })),
    )
    for (const { name } of of) ahead.get(name)?.stored.push(sendAtMs)
    return wait
  })
  const retryAfterSeconds = Math.max(...waits)
  if (retryAfterSeconds === 0) return
  throw refuse('recipient_rate_limited', {
    detail,
    errors: waits.flatMap((wait, i) => (wait === 0 ? [] : [rateFault(recipients[i], fault)])),
    violated_policies: [policy],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

/** 0 while there is room; else how long it takes until the window has passed that is full, or what only may fill it is decided. */
function waitSeconds(
  { stored, underWay }: Ahead = { stored: [], underWay: [] },
  { sendAtMs, nowMs, most, windowMs }: { sendAtMs: number; nowMs: number; most: number; windowMs: number },
): number {
  if (busiestWindow([...stored, ...underWay], sendAtMs, windowMs).messages <= most) return 0
  const { messages, endsMs } = busiestWindow(stored, sendAtMs, windowMs)
  return messages <= most ? underWaySeconds : Math.max(1, Math.ceil((endsMs - nowMs) / 1_000))
}

export const rateFault = (
  recipient: CheckedSend['recipients'][number] | undefined,
  detail = neighboursFault,
): Fault => ({
  pointer: recipient?.pointer ?? '/to',
  code: 'recipient_rate_limited',
  detail,
})
