import { hourMs } from '../../clock.ts'
import type { Caller } from '../../accounts/authenticator.ts'
import { type Fault, refuse } from '../../errors.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'

/** How many of these times, and `atMs` beside them, lie within one hour that holds it, where that is fullest, and when that hour has passed. */
export function busiestHour(times: readonly number[], atMs: number): { messages: number; endsMs: number } {
  const sorted = [...times, atMs].toSorted((a, b) => a - b)
  let busiest = { messages: 0, endsMs: 0 }
  let from = 0
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] as number) >= hourMs) from += 1
    const startMs = sorted[from] as number
    const messages = to - from + 1
    if (time >= atMs && startMs <= atMs && messages > busiest.messages)
      busiest = { messages, endsMs: startMs + hourMs }
  }
  return busiest
}

/** From when to when lies what may share an hour with this time; both ends do not. */
const hoursAround = (atMs: number): { afterMs: number; beforeMs: number } => ({
  afterMs: atMs - hourMs,
  beforeMs: atMs + hourMs,
})

/** Messages of one account an hour; 0: as many as it likes. */
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

/** The limits of what goes to one number and to neighbouring numbers in the hour of a scheduled message. */
export class PlannedRate {
  readonly #ports: Pick<SendPorts, 'timesTo'>
  /** Times of what was judged and is not stored yet, by account and name: sends at once see one another. */
  readonly #underWay = new Map<string, number[]>()

  constructor(ports: Pick<SendPorts, 'timesTo'>) {
    this.#ports = ports
  }

  /**
   * Refuses (429) what the database, and what is under way, leaves no room for; gives what is to be called once it is stored or refused. One that is
   * stored just now may be seen twice, so that of several at once at the limit one too many may be refused, never taken.
   */
  async judge({ accountId, mode }: Caller, planned: Planned, limits: RecipientLimits): Promise<() => void> {
    const { recipients, sendAtMs } = planned
    const ranges = recipients.map(({ to }) => rangesOf(to, limits))
    // One of two hours beside each other holds more than the limit where both together hold twice as many.
    const asked = new Map(ranges.flat().map((range) => [range.name, { ...range, most: 2 * range.most }]))
    const ahead = new Map(
      [...asked.keys()].map((name): [string, Ahead] => [
        name,
        { stored: [], underWay: this.#timesOf(accountId, name) },
      ]),
    )
    const names = ranges.flat().map(({ name }) => name)
    for (const name of names)
      this.#underWay.set(keyOf(accountId, name), [...this.#timesOf(accountId, name), sendAtMs])
    const forget = (): void => names.forEach((name) => this.#forget(keyOf(accountId, name), sendAtMs))
    try {
      const stored = await this.#ports.timesTo({ accountId, mode, ...hoursAround(sendAtMs) }, [
        ...asked.values(),
      ])
      for (const [name, times] of stored) ahead.get(name)?.stored.push(...times)
      refuseBeyond(planned, ranges, ahead)
      return forget
    } catch (error) {
      forget()
      throw error
    }
  }

  #timesOf(accountId: string, name: string): readonly number[] {
    return this.#underWay.get(keyOf(accountId, name)) ?? []
  }

  #forget(key: string, atMs: number): void {
    const times = this.#underWay.get(key) ?? []
    const left = times.toSpliced(times.indexOf(atMs), 1)
    if (left.length === 0) this.#underWay.delete(key)
    else this.#underWay.set(key, left)
  }
}

const keyOf = (accountId: string, name: string): string => `${accountId}:${name}`

interface Range {
  name: string
  first: string
  last: string
  most: number
}

function rangesOf(to: string, { perNumber, perPrefix }: RecipientLimits): Range[] {
  const prefix = prefixOf(to)
  return [
    { name: to, first: to, last: to, most: perNumber },
    { name: `${prefix}*`, first: `${prefix}000`, last: `${prefix}999`, most: perPrefix },
  ].filter(({ most }) => most > 0)
}

function refuseBeyond(
  { recipients, sendAtMs, nowMs }: Planned,
  ranges: readonly (readonly Range[])[],
  ahead: ReadonlyMap<string, Ahead>,
): void {
  const waits = ranges.map((of) => {
    // Of several neighbours in one send each sees those before it.
    const wait = Math.max(
      ...of.map(({ name, most }) => waitSeconds(ahead.get(name), { sendAtMs, nowMs, most })),
    )
    for (const { name } of of) ahead.get(name)?.stored.push(sendAtMs)
    return wait
  })
  const retryAfterSeconds = Math.max(...waits)
  if (retryAfterSeconds === 0) return
  throw refuse('recipient_rate_limited', {
    detail: 'These numbers, or their neighbours, have their messages for that hour; choose another time.',
    errors: waits.flatMap((wait, i) => (wait === 0 ? [] : [rateFault(recipients[i])])),
    violated_policies: ['recipients-per-hour'],
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

/** 0 while there is room; else how long it takes until the hour has passed that is full, or what only may fill it is decided. */
function waitSeconds(
  { stored, underWay }: Ahead = { stored: [], underWay: [] },
  { sendAtMs, nowMs, most }: { sendAtMs: number; nowMs: number; most: number },
): number {
  if (busiestHour([...stored, ...underWay], sendAtMs).messages <= most) return 0
  const { messages, endsMs } = busiestHour(stored, sendAtMs)
  return messages <= most ? underWaySeconds : Math.max(1, Math.ceil((endsMs - nowMs) / 1_000))
}

export const rateFault = (recipient: CheckedSend['recipients'][number] | undefined): Fault => ({
  pointer: recipient?.pointer ?? '/to',
  code: 'recipient_rate_limited',
  detail: 'This number, or its neighbours, were sent too many messages.',
})
