import type { MissingSecrets } from '../../process/instance-secret.ts'
import type { Db, Tx } from '../seam/dialect.ts'

/** How the secrets at hand stand to those that a database was used with. One without a mark may be of any. */
export type SecretFit = { kind: 'fits' } | { kind: 'unmarked' } | MissingSecrets

/** The secrets of a server were given up for lost while it was taken for dead: it must end before it seals anything more. */
export class SecretGivenUpError extends Error {
  override readonly name = 'SecretGivenUpError'
  readonly lacks: MissingSecrets

  constructor(lacks: MissingSecrets) {
    super('The secret of this server was given up while it was taken for dead.')
    this.lacks = lacks
  }
}

/**
 * Compares the secrets that the database was used with with those at hand, of which `marks` are (instance-secret.ts). What a secret sealed or hashed
 * is lost without it: opt-outs of erased numbers would be written to (P9), and nobody would notice.
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
 * Part of every start of a server, and of every command before it seals or hashes: from now on the database is known to be used with each secret
 * at hand, the former ones too, which may have been in use before there were marks. Gives what is missing, and marks nothing then; else null.
 */
export async function agreeOnSecrets(
  tx: Tx,
  marks: readonly string[],
  nowMs: number,
): Promise<MissingSecrets | null> {
  return agree(tx, { marks, used: marks }, nowMs)
}

/**
 * The same for a server that goes on after a silence: of `marks`, in their order, the first alone is in use from now on. A former one may have been
 * given up meanwhile, and needs nobody's attention again.
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
    // Where there are no marks none was given up: the former ones may have been in use before.
    .values((found.kind === 'unmarked' ? marks : used).map((mark) => ({ mark, first_seen_at: nowMs })))
    .onConflict((conflict) => conflict.column('mark').doNothing())
    .execute()
  return null
}

/** Makes the database one of the secrets at hand alone; gives how many others it forgot. */
export async function acceptSecrets(tx: Tx, marks: readonly string[], nowMs: number): Promise<number> {
  const forgotten = await tx
    .deleteFrom('secret_marks')
    .where('mark', 'not in', [...marks])
    .returning('mark')
    .execute()
  await agreeOnSecrets(tx, marks, nowMs)
  return forgotten.length
}
