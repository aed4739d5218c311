import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'

/** So many rows are looked at with one question. */
const pageSize = 500

/** What is sealed of a second factor, each part by itself: codes are renewed without the secret. */
const sealedColumns = ['secret', 'backupCodes'] as const

/**
 * Better Auth names in what it seals the version of its secret (`$ba$<version>$…`), and takes what names none for the current one's. Where a text without
 * a name is a former one's, `versionOf` says of which, and it is named; else it says null, and the text stays as it is.
 */
export async function nameSecondFactors(
  { read, writer }: { read: Db; writer: Pick<Writer, 'write'> },
  versionOf: (sealed: string) => Promise<number | null>,
): Promise<void> {
  for (let after = ''; ;) {
    const page = await read
      .selectFrom('auth_two_factors')
      .select(['id', ...sealedColumns])
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    for (const { id, ...sealed } of page) {
      for (const column of sealedColumns) {
        const version = await versionOf(sealed[column])
        if (version === null) continue
        const named = { [column]: `$ba$${version}$${sealed[column]}` }
        // One that was made anew meanwhile stays as it is.
        await writer.write((tx) =>
          tx
            .updateTable('auth_two_factors')
            .set(named)
            .where('id', '=', id)
            .where(column, '=', sealed[column])
            .execute(),
        )
      }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last.id
  }
}
