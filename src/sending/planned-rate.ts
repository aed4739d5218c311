import { hourMs, minuteMs } from '../runtime/clock.ts'
import type { Caller } from '../accounts/keys/authenticator.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import { everySpelling } from '../numbers/number-changes.ts'
import type { Category } from '../storage/tables/schema.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'

/**
 * Returns how many of these times, and `atMs`, are within the fullest window of `windowMs` that contains
 * `atMs`, and when that window has passed.
 */
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

/** Window of the limit for authentication messages to one number. */
export const codesWindowMs = 10 * minuteMs

/** Maximum messages of one account in a window; 0 = no limit. */
export interface RecipientLimits {
  perNumber: number
  perPrefix: number
}

interface Planned {
  recipients: CheckedSend['recipients']
  sendAtMs: number
  nowMs: number
}

/**
 * Messages to one target (a number, or a prefix): those in the database, and those of concurrent sends, which may still be rejected.
 */
interface Ahead {
  stored: number[]
  pending: readonly number[]
}

/** When to retry if only concurrent sends leave no room: they are stored or rejected by then. */
const pendingSeconds = 5

const blockFault = 'Too many messages to this number or its number block.'

/** A limit, and the errors above it. */
interface PlannedKind {
  windowMs: number
  /** Only messages of this category; null for all. */
  category: Category | null
  policy: string
  detail: string
  fault: string
}

export const plannedHours: PlannedKind = {
  windowMs: hourMs,
  category: null,
  policy: 'recipients-per-hour',
  detail:
    'Too many messages to these numbers, or to their number blocks, within that hour. Choose another time.',
  fault: blockFault,
}

export const plannedCodes: PlannedKind = {
  windowMs: codesWindowMs,
  category: 'authentication',
  policy: 'authentication-messages',
  detail: 'Too many authentication messages to these numbers within those 10 minutes. Choose another time.',
  fault: 'Too many authentication messages to this number.',
}

/** Limits messages to one number and to its number block within the window of a scheduled message. */
export class PlannedRate {
  readonly #ports: Pick<SendPorts, 'timesTo'>
  readonly #kind: PlannedKind
  /**
   * Send times that were judged and are not stored yet, by account, mode and target: concurrent sends see each
   * other.
   */
  readonly #pending = new Map<string, number[]>()

  constructor(ports: Pick<SendPorts, 'timesTo'>, kind: PlannedKind) {
    this.#ports = ports
    this.#kind = kind
  }

  /**
   * Rejects (429) a send if the stored messages and concurrent sends leave no room for it. Returns the
   * function to call when it was stored or rejected. A send that is being stored can be counted twice: of
   * several concurrent sends at the limit one too many can be rejected, but none accepted.
   */
  async judge(caller: Caller, planned: Planned, limits: RecipientLimits): Promise<() => void> {
    const { accountId, mode } = caller
    const { recipients, sendAtMs } = planned
    const { windowMs, category } = this.#kind
    const ranges = recipients.map(({ to }) => rangesOf(to, limits))
    // One of two adjacent windows is above the limit if both together have twice as many.
    const asked = new Map(ranges.flat().map((range) => [range.target, range]))
    const spans = [...asked.values()].flatMap(({ target, spans: of, most }) =>
      of.map((span) => ({ ...span, target, most: 2 * most })),
    )
    const ahead = new Map(
      [...asked.keys()].map((target): [string, Ahead] => [
        target,
        { stored: [], pending: this.#timesOf(caller, target) },
      ]),
    )
    const targets = ranges.flat().map(({ target }) => target)
    for (const target of targets)
      this.#pending.set(keyOf(caller, target), [...this.#timesOf(caller, target), sendAtMs])
    const release = (): void => targets.forEach((target) => this.#remove(keyOf(caller, target), sendAtMs))
    try {
      // Messages between these times can share a window with this send; both are exclusive.
      const around = {
        accountId,
        mode,
        category,
        afterMs: sendAtMs - windowMs,
        beforeMs: sendAtMs + windowMs,
      }
      const stored = await this.#ports.timesTo(around, spans)
      for (const [target, times] of stored) ahead.get(target)?.stored.push(...times)
      refuseBeyond(this.#kind, planned, ranges, ahead)
      return release
    } catch (error) {
      release()
      throw error
    }
  }

  #timesOf(caller: Caller, target: string): readonly number[] {
    return this.#pending.get(keyOf(caller, target)) ?? []
  }

  #remove(key: string, atMs: number): void {
    const times = this.#pending.get(key) ?? []
    const left = times.toSpliced(times.indexOf(atMs), 1)
    if (left.length === 0) this.#pending.delete(key)
    else this.#pending.set(key, left)
  }
}

const keyOf = ({ accountId, mode }: Caller, target: string): string => `${accountId}:${mode}:${target}`

/** Numbers that share a limit, in all their spellings. */
interface Range {
  target: string
  spans: { first: string; last: string }[]
  most: number
}

function rangesOf(to: string, { perNumber, perPrefix }: RecipientLimits): Range[] {
  const spellings = everySpelling(to)
  const [present = to] = spellings
  const prefixes = spellings.map(prefixOf)
  return [
    { target: present, spans: spellings.map((each) => ({ first: each, last: each })), most: perNumber },
    {
      target: `${prefixOf(present)}*`,
      spans: prefixes.map((prefix) => ({ first: `${prefix}000`, last: `${prefix}999` })),
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
    // Several recipients of one block count one after another.
    const wait = Math.max(
      ...of.map(({ target, most }) => waitSeconds(ahead.get(target), { sendAtMs, nowMs, most, windowMs })),
    )
    for (const { target } of of) ahead.get(target)?.stored.push(sendAtMs)
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

/**
 * Returns 0 while there is room; else how long until the full window has passed, or until concurrent sends
 * are decided.
 */
function waitSeconds(
  { stored, pending }: Ahead = { stored: [], pending: [] },
  { sendAtMs, nowMs, most, windowMs }: { sendAtMs: number; nowMs: number; most: number; windowMs: number },
): number {
  if (busiestWindow([...stored, ...pending], sendAtMs, windowMs).messages <= most) return 0
  const { messages, endsMs } = busiestWindow(stored, sendAtMs, windowMs)
  return messages <= most ? pendingSeconds : Math.max(1, Math.ceil((endsMs - nowMs) / 1_000))
}

export const rateFault = (
  recipient: CheckedSend['recipients'][number] | undefined,
  detail = blockFault,
): Fault => ({
  pointer: recipient?.pointer ?? '/to',
  code: 'recipient_rate_limited',
  detail,
})
