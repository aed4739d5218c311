import type { SentRow } from '../../../src/api/console/messages/send-calls.ts'
import { change, type Place } from '../api/call.ts'
import type { PlannedRow } from './table-plan.ts'

export interface RunProgress {
  results: SentRow[]
  total: number
  /** Why sending is paused; null while it runs. */
  paused: string | null
}

const rowsPerCall = 100

/**
 * Sends the rows of a plan, 100 per call. With the same `key`, a batch that was accepted before a lost response or a
 * reload returns the same result and is not sent again. Pauses when the server is unreachable or rejects everything.
 */
export class TableRun {
  readonly #table: { place: Place; key: string; options: Record<string, unknown> }
  readonly #onProgress: (progress: RunProgress) => void
  readonly #total: number
  #results: SentRow[] = []
  #waiting: readonly PlannedRow[]
  #pauseWanted = false

  constructor(
    table: { place: Place; rows: readonly PlannedRow[]; key: string; options: Record<string, unknown> },
    onProgress: (progress: RunProgress) => void,
  ) {
    this.#table = table
    this.#waiting = table.rows
    this.#total = table.rows.length
    this.#onProgress = onProgress
  }

  /** Sends until all rows are sent or sending must pause. Reports progress after each batch. */
  async run(): Promise<void> {
    this.#pauseWanted = false
    let paused: string | null = null
    while (this.#waiting.length > 0 && paused === null) {
      paused = await this.#sendBatch()
      if (this.#pauseWanted) paused ??= 'Paused by you.'
      this.#onProgress({ results: this.#results, total: this.#total, paused })
    }
  }

  /** Pauses after the current batch. */
  pause(): void {
    this.#pauseWanted = true
  }

  /**
   * Sends the next batch. Returns why sending must pause, or null. Rows that are rejected for lack of balance or a full
   * queue are kept, to be sent when the user continues.
   */
  async #sendBatch(): Promise<string | null> {
    const { place, key, options } = this.#table
    const batch = this.#waiting.slice(0, rowsPerCall)
    let rows: SentRow[]
    try {
      const answer = await change('send/rows', place, {
        key,
        rows: batch.map(({ row, to, text }) => ({ row, to, text })),
        options,
      })
      rows = answer.rows
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    const stopped = rows.filter(({ refused }) => refused !== null && stopping.has(refused.code))
    const kept = new Set(stopped.map(({ row }) => row))
    this.#results = [...this.#results, ...rows.filter(({ row }) => !kept.has(row))]
    this.#waiting = [...batch.filter(({ row }) => kept.has(row)), ...this.#waiting.slice(batch.length)]
    return stopped[0]?.refused?.detail ?? null
  }
}

const stopping = new Set([
  'insufficient_balance',
  'queue_full',
  'rate_limited',
  'no_sender_available',
  'storage_full',
  'storage_damaged',
])
