import type { Db, Tx } from './dialect.ts'

/** Of the secret of the instance and the one before it (instance-secret.ts). */
export interface SecretMarks {
  current: string
  previous: string | null
}

/**
 * Whether the database is of one of these secrets; one that has not been started with any is of each. Under another nothing that is sealed could be
 * opened, and no hash of a number would match: opt-outs of erased numbers would be written to (P9), and nobody would notice.
 */
export async function isOfSecret(db: Db | Tx, { current, previous }: SecretMarks): Promise<boolean> {
  const row = await db.selectFrom('instance').select('secret_mark').executeTakeFirst()
  const mark = row?.secret_mark ?? null
  return mark === null || mark === current || mark === previous
}

/** Makes the database one of the current secret, whatever it was of. */
export const acceptSecret = async (tx: Tx, { current }: Pick<SecretMarks, 'current'>): Promise<void> =>
  void (await tx.updateTable('instance').set({ secret_mark: current }).execute())

/** Part of every start of a server: follows a secret that was changed, and gives false for one that the database was not made with. */
export async function agreeOnSecret(tx: Tx, marks: SecretMarks): Promise<boolean> {
  if (!(await isOfSecret(tx, marks))) return false
  await acceptSecret(tx, marks)
  return true
}
