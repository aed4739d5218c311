import type { MissingSecrets } from '../../process/instance-secret.ts'
import type { Db, Tx } from '../seam/dialect.ts'

/**
 * Whether the available secrets match those that a database was used with. A database without marks may have
 * used any.
 */
export type SecretFit = { kind: 'fits' } | { kind: 'unmarked' } | MissingSecrets

/**
 * Thrown if the secrets of a server were declared lost while its peers considered it dead: it must stop
 * before it encrypts anything more.
 */
export class SecretGivenUpError extends Error {
  override readonly name = 'SecretGivenUpError'
  readonly lacks: MissingSecrets

  constructor(lacks: MissingSecrets) {
    super('The secret of this server was declared lost while the server was considered dead.')
    this.lacks = lacks
  }
}

/**
 * Compares the secrets that the database was used with to the available ones, given by their `marks`
 * (instance-secret.ts). Without a secret, what it encrypted or hashed is lost: messages would be sent to
 * erased numbers that opted out (P9), unnoticed.
 */
export async function compareSecrets(db: Db | Tx, marks: readonly string[]): Promise<SecretFit> {
  const known = await db
    .selectFrom('secret_marks')
    .select(['mark', 'first_seen_at as firstSeenAt'])
    .orderBy('first_seen_at')
    .orderBy('mark')
    .execute()
  if (known.length === 0) return { kind: 'unmarked' }
  const missing = known.filter(({ mark }) => !marks.includes(mark))
  if (missing.length === 0) return { kind: 'fits' }
  return { kind: missing.length < known.length ? 'former_missing' : 'other', missing }
}

/**
 * Runs at every start of a server, and in every command before it encrypts or hashes. Records that the
 * database is used with each available secret, including former ones, which may have been in use before there
 * were marks. Returns what is missing, and then records nothing; else null.
 */
export async function agreeOnSecrets(
  tx: Tx,
  marks: readonly string[],
  nowMs: number,
): Promise<MissingSecrets | null> {
  return agree(tx, { marks, used: marks }, nowMs)
}

/**
 * Does the same for a server that resumes after a silence: only the first of `marks` is in use from now on. A
 * former one may have been declared lost meanwhile, and must not come back.
 */
export const agreeAgain = (tx: Tx, marks: readonly string[], nowMs: number): Promise<MissingSecrets | null> =>
  agree(tx, { marks, used: marks.slice(0, 1) }, nowMs)

async function agree(
  tx: Tx,
  { marks, used }: { marks: readonly string[]; used: readonly string[] },
  nowMs: number,
): Promise<MissingSecrets | null> {
  const found = await compareSecrets(tx, marks)
  if ('missing' in found) return found
  await tx
    .insertInto('secret_marks')
    // Without any mark no secret was declared lost: former ones may have been in use before.
    .values((found.kind === 'unmarked' ? marks : used).map((mark) => ({ mark, first_seen_at: nowMs })))
    .onConflict((conflict) => conflict.column('mark').doNothing())
    .execute()
  return null
}

/** Restricts the database to the available secrets. Returns how many others were removed. */
export async function acceptSecrets(tx: Tx, marks: readonly string[], nowMs: number): Promise<number> {
  const removed = await tx
    .deleteFrom('secret_marks')
    .where('mark', 'not in', [...marks])
    .returning('mark')
    .execute()
  await agreeOnSecrets(tx, marks, nowMs)
  return removed.length
}
