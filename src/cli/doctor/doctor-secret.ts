import type { Config } from '../../config.ts'
import { isThere } from '../../process/durable-file.ts'
import {
  loadInstanceSecret,
  missingSentence,
  previousSecretFile,
  secretFile,
} from '../../process/instance-secret.ts'
import { type InstanceSecret, marksOf } from '../../runtime/derived-keys.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { compareSecrets } from '../../storage/instance/secret-mark.ts'
import { type CheckResult, fine, runCheck, wrong } from '../core/check-result.ts'

/** Checks that the secret can be read, and counts the former secrets. */
export const examineSecretFiles = (config: Config): Promise<CheckResult> =>
  runCheck(
    'secret',
    'Restore it from the copy that you keep with your backups. Without it stored passwords cannot be decrypted.',
    async () => {
      const file = secretFile(config.dataFolder)
      const { former } = await readSecret(config)
      const summary =
        config.secret === null
          ? `${file} is readable only by its owner.`
          : 'The secret is set by ONESIXTY_SECRET.'
      if (former.length === 0) return summary
      return `${summary} Former secrets in ${previousSecretFile(config.dataFolder)}: ${former.length}.`
    },
  )

/** Throws when there is no secret: the doctor creates none. */
async function readSecret(config: Config): Promise<InstanceSecret> {
  const file = secretFile(config.dataFolder)
  if (config.secret === null && !(await isThere(file)))
    throw new Error(
      config.databaseUrl === null
        ? `${file} does not exist.`
        : `ONESIXTY_SECRET is not set, and ${file} does not exist: on PostgreSQL every node needs the same secret.`,
    )
  return loadInstanceSecret(config)
}

/** Checks that all secrets of the database are available. Empty when none can be read: `examineSecretFiles` fails. */
export async function examineSecret(db: Db, config: Config): Promise<CheckResult[]> {
  const secret = await readSecret(config).catch(() => null)
  if (secret === null) return []
  const name = 'secret_fits'
  const found = await compareSecrets(db, marksOf(secret))
  if (found.kind === 'fits') return [fine(name, 'All secrets of the database are available.')]
  if (found.kind === 'unmarked')
    return [fine(name, 'The database has no secret yet: the next start records the current one.')]
  const summary =
    found.kind === 'other'
      ? 'This secret is not the one of the database.'
      : `Missing secrets of the database: ${found.missing.length}.`
  return [wrong(name, summary, missingSentence(config, found))]
}
