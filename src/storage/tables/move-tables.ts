import type { Flag } from './column-values.ts'

/** Tables of a move to or from another database (onesixty move). */

export interface MoveTable {
  id: string
  direction: 'out' | 'in'
  place: string
  copy_id: string | null
  started_at: number
  finished_at: number | null
}

export interface MoveProgressTable {
  table_name: string
  last_key: string | null
  copied_rows: number
  is_done: Flag
}
