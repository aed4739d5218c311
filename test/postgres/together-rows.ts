import { allDone } from '../../src/runtime/all-done.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'

/** Rows of three tables that need no others, for units whose statements share texts. */

export const total = (account_id: string, messages: number) => ({
  account_id, mode: 'live' as const, route_key: 'r', messages, parts: messages, next_expiry_at: 1,
}) // prettier-ignore
export const deferred = (account_id: string, messages: number) => ({
  account_id, mode: 'live' as const, reason: 'scheduled' as const, messages, parts: messages,
}) // prettier-ignore
export const way = (id: string) => ({ id, stages: '[]', created_at: 1 })

export const totalKey = ['account_id', 'mode', 'route_key'] as const
export const deferredKey = ['account_id', 'mode', 'reason'] as const
export const sums = ['messages', 'parts'] as const

/** All rows of the three tables. */
export const rowsOf = (writer: Writer): Promise<object[][]> =>
  writer.write((tx) =>
    allDone([
      tx.selectFrom('queue_totals').selectAll().orderBy('account_id').execute(),
      tx.selectFrom('deferred_totals').selectAll().orderBy('account_id').execute(),
      tx.selectFrom('ways').select(['id', 'stages', 'created_at']).orderBy('id').execute(),
    ]),
  )
