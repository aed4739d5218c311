import { sql } from 'kysely'
import type { Db, Tx } from './dialect.ts'

/** Says to every node that accounts, keys or devices changed. Part of the transaction that changes them. */
export async function touchDirectory(tx: Tx): Promise<void> {
  await tx
    .updateTable('instance')
    .set({ directory_version: sql`directory_version + 1` })
    .execute()
}

/** The number that moves with every such change. */
export async function readDirectoryVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('instance').select('directory_version').executeTakeFirst()
  return row?.directory_version ?? 0
}
