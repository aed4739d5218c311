import { BoundedMap } from '../../../runtime/bounded-map.ts'
import { dayMs } from '../../../runtime/clock.ts'
import type { Inbound } from '../../connector.ts'
import { readReceived, recipientOf } from '../hooks.ts'
import type { Phone } from '../phone.ts'
import type { Registration } from '../ports.ts'
import { textOf } from '../route.ts'
import type { LocalApi, Page } from './local-api.ts'
import { tooLarge, VisitFailed } from './visit-failed.ts'

const pageSize = 200
/** SMS read in one visit; what is older stays unread, with a line in the log. */
const maxRead = 5_000
/** SMS that are known to be stored; an evicted one is stored again, as a repeat. */
const maxSeen = 10_000

interface Span {
  from: number
  to?: number
}

/** An SMS that Android stored without a date has one of 1970. */
const undated: Span = { from: 0, to: Date.UTC(2000, 0) }

interface InboxDeps {
  api: Pick<LocalApi, 'inbox'>
  phone: Pick<Phone, 'health'>
  registration: Registration
  /** Earlier SMS are the owner's own: the device did not exist. */
  connectedAt: number
  days: number
  nowMs: number
  /** The clock of the phone. */
  phoneMs: number
  store: (inbound: Inbound) => Promise<void>
  log: (message: string) => void
}

/**
 * Reads the inbox of a visited phone. Rows have the time of the network, so that a late SMS is below others: a
 * watermark would lose it. The count from a fixed time shows whether something came; only then the rows are
 * read down to that time, and stored oldest first. IDs of rows are hashes that two SMS may share, so an SMS is
 * identified as in a webhook.
 */
export class InboxReader {
  readonly #seen = new BoundedMap<true>(maxSeen)
  readonly #known = new Map<Span, string>()
  #dated: Span | null = null

  async read(deps: InboxDeps): Promise<void> {
    for (const span of [this.#spanFor(deps), undated]) await this.#readSpan(deps, span)
  }

  async #readSpan(deps: InboxDeps, span: Span): Promise<void> {
    const head = await deps.api.inbox(span, { limit: 1, offset: 0 })
    if (stateOf(head) === this.#known.get(span)) return
    const rows = await this.#newRows(deps, span, head)
    for (const row of rows.toReversed()) {
      const inbound = readRow(row, deps)
      if (inbound !== null) await deps.store(inbound)
      this.#seen.set(nameOf(row), true)
    }
    // Rows that came in between are read by the next visit.
    this.#known.set(span, stateOf(head))
  }

  /** Fixed for a day: a start that moves changes the count. */
  #spanFor({ days, connectedAt, nowMs, phoneMs }: InboxDeps): Span {
    const day = Math.floor(phoneMs / dayMs)
    const since = connectedAt + (phoneMs - nowMs)
    // Times of the network have whole seconds.
    const fromMs = Math.max((day - days) * dayMs, Math.floor(since / 1_000) * 1_000)
    if (this.#dated === null || Math.abs(fromMs - this.#dated.from) >= dayMs / 2) {
      this.#known.clear()
      this.#dated = { from: fromMs }
    }
    return this.#dated
  }

  async #newRows({ api, log }: InboxDeps, span: Span, head: Page): Promise<Page['rows']> {
    const rows: Record<string, unknown>[] = []
    const count = Math.min(head.total, maxRead)
    let limit = pageSize
    for (let offset = 0; offset < count;) {
      const read = await readPage(api, span, { limit, offset })
      if (read !== null) rows.push(...read)
      if (read === null && limit > 1) {
        limit = Math.ceil(limit / 2)
        continue
      }
      if (read === null) log('an SMS of the phone is larger than 2 MB and was not read')
      offset += limit
      // What was too large is behind it: the rest is not read row by row.
      limit = Math.min(2 * limit, pageSize)
    }
    if (head.total > maxRead)
      log(`the inbox of the phone has ${head.total} SMS; only the latest ${maxRead} were read`)
    return rows.filter((row) => !this.#seen.has(nameOf(row)))
  }
}

/** Null: these rows together are larger than an answer may be. */
async function readPage(
  api: InboxDeps['api'],
  span: Span,
  page: { limit: number; offset: number },
): Promise<Page['rows'] | null> {
  try {
    return (await api.inbox(span, page)).rows
  } catch (error) {
    if (error instanceof VisitFailed && error.message === tooLarge) return null
    throw error
  }
}

const stateOf = ({ total, rows: [first] }: Page): string =>
  `${total}/${first === undefined ? '' : nameOf(first)}`

const nameOf = (row: Record<string, unknown>): string =>
  JSON.stringify(['id', 'sender', 'createdAt', 'simNumber', 'contentPreview'].map((name) => row[name]))

/** An SMS has its whole text in `contentPreview`. Null for what is no SMS. */
function readRow(
  row: Record<string, unknown>,
  { registration, phone, nowMs }: Pick<InboxDeps, 'registration' | 'phone' | 'nowMs'>,
): Inbound | null {
  const { id, sender, createdAt, simNumber, recipient, contentPreview: message } = row
  const payload = { sender, message, receivedAt: createdAt, simNumber, recipient }
  const received = readReceived(payload, { eventId: textOf(id, 64), nowMs })
  return received === null ? null : { ...received, to: recipientOf(payload, { registration, phone }) }
}
