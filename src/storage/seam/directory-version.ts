import { sql } from 'kysely'
import type { Db, Tx } from './dialect.ts'

const touched = new WeakSet<Tx>()

/** Notifies every node that accounts, keys or devices changed. Part of the transaction that changes them. */
export async function touchDirectory(tx: Tx): Promise<void> {
  touched.add(tx)
  await tx
    .updateTable('instance')
    .set({ directory_version: sql`directory_version + 1` })
    .execute()
}

/**
 * Returns whether this transaction changes accounts, keys or devices. If so, this process invalidates its
 * caches at the commit, without waiting for the poll.
 */
export const hasTouchedDirectory = (tx: Tx): boolean => touched.has(tx)

/** Returns the number that each such change increments. */
export async function readDirectoryVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('instance').select('directory_version').executeTakeFirst()
  return row?.directory_version ?? 0
}
