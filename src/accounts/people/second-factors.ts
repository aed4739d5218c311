import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'

/** Number of rows to read with one query. */
const pageSize = 500

/**
 * The encrypted columns of a second factor. Each is encrypted separately, since codes are renewed without the
 * secret.
 */
const sealedColumns = ['secret', 'backupCodes'] as const

/**
 * Adds the version of the secret to encrypted texts that lack it. Better Auth writes it into what it encrypts
 * (`$ba$<version>$…`), and treats a text without it as encrypted with the current secret. `versionOf` returns
 * the version for a text of a former secret, else null, and then the text stays unchanged.
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
        // A value that was renewed meanwhile stays unchanged.
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
