import type { SentRow } from '../../../src/api/console/messages/send-calls.ts'
import { change, type Place } from '../api/call.ts'
import type { PlannedRow } from './table-plan.ts'

export interface RunProgress {
  results: SentRow[]
  total: number
  /** Why it stands still; null while it runs. */
  paused: string | null
}

const rowsPerCall = 100

/**
 * Sends the rows of a plan, a hundred at a time. `key` names the table: a piece that was sent before a lost answer, or before the page was
 * loaded anew, is answered again and not sent again. Pauses by itself when the server cannot be reached or refuses everything.
 */
export class TableRun {
  readonly #table: { place: Place; key: string; options: Record<string, unknown> }
  readonly #told: (progress: RunProgress) => void
  readonly #total: number
  #results: SentRow[] = []
  #waiting: readonly PlannedRow[]
  #pauseWanted = false

  constructor(
    table: { place: Place; rows: readonly PlannedRow[]; key: string; options: Record<string, unknown> },
    told: (progress: RunProgress) => void,
  ) {
    this.#table = table
    this.#waiting = table.rows
    this.#total = table.rows.length
    this.#told = told
  }

  /** Goes on until all rows are sent or something stands in the way; told of each piece. */
  async run(): Promise<void> {
    this.#pauseWanted = false
    let paused: string | null = null
    while (this.#waiting.length > 0 && paused === null) {
      paused = await this.#sendPiece()
      if (this.#pauseWanted) paused ??= 'Paused by you.'
      this.#told({ results: this.#results, total: this.#total, paused })
    }
  }

  /** After the piece that is under way. */
  pause(): void {
    this.#pauseWanted = true
  }

  /** Gives why it must not go on, or null. Rows that an empty wallet or a full queue refused stay, to be sent when a person goes on. */
  async #sendPiece(): Promise<string | null> {
    const { place, key, options } = this.#table
    const piece = this.#waiting.slice(0, rowsPerCall)
    let rows: SentRow[]
    try {
      const answer = await change('send/rows', place, {
        key,
        rows: piece.map(({ row, to, text }) => ({ row, to, text })),
        options,
      })
      rows = answer.rows
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    const stopped = rows.filter(({ refused }) => refused !== null && stopping.has(refused.code))
    const again = new Set(stopped.map(({ row }) => row))
    this.#results = [...this.#results, ...rows.filter(({ row }) => !again.has(row))]
    this.#waiting = [...piece.filter(({ row }) => again.has(row)), ...this.#waiting.slice(piece.length)]
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
