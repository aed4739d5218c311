import type { Caller } from '../../accounts/authenticator.ts'
import { type Fault, refuse } from '../../errors.ts'
import type { CheckedSend } from './prepare-send.ts'
import { prefixOf } from './pumping-watch.ts'
import type { SendPorts } from './send-ports.ts'

const hourMs = 3_600_000

/** How many of these times, and `atMs` beside them, lie within one hour that holds it, where that is fullest. */
export function busiestHour(times: readonly number[], atMs: number): number {
  const sorted = [...times, atMs].toSorted((a, b) => a - b)
  let most = 0
  let from = 0
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] as number) >= hourMs) from += 1
    if (time >= atMs && (sorted[from] as number) <= atMs) most = Math.max(most, to - from + 1)
  }
  return most
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
}

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
    const ahead = new Map([...asked.keys()].map((name) => [name, [...this.#timesOf(accountId, name)]]))
    const names = ranges.flat().map(({ name }) => name)
    for (const name of names)
      this.#underWay.set(keyOf(accountId, name), [...this.#timesOf(accountId, name), sendAtMs])
    const forget = (): void => names.forEach((name) => this.#forget(keyOf(accountId, name), sendAtMs))
    try {
      const stored = await this.#ports.timesTo({ accountId, mode, ...hoursAround(sendAtMs) }, [
        ...asked.values(),
      ])
      for (const [name, times] of stored) ahead.get(name)?.push(...times)
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
  { recipients, sendAtMs }: Planned,
  ranges: readonly (readonly Range[])[],
  ahead: ReadonlyMap<string, number[]>,
): void {
  const isOver = ranges.map((of) => {
    // Of several neighbours in one send each sees those before it.
    const over = of.some(({ name, most }) => busiestHour(ahead.get(name) ?? [], sendAtMs) > most)
    for (const { name } of of) ahead.get(name)?.push(sendAtMs)
    return over
  })
  if (!isOver.includes(true)) return
  throw refuse('recipient_rate_limited', {
    detail: 'These numbers, or their neighbours, have their messages for that hour; choose another time.',
    errors: isOver.flatMap((over, i) => (over ? [rateFault(recipients[i])] : [])),
    violated_policies: ['recipients-per-hour'],
  })
}

export const rateFault = (recipient: CheckedSend['recipients'][number] | undefined): Fault => ({
  pointer: recipient?.pointer ?? '/to',
  code: 'recipient_rate_limited',
  detail: 'This number, or its neighbours, were sent too many messages.',
})
