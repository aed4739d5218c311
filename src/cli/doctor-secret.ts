import type { Config } from '../config.ts'
import { isThere } from '../durable-file.ts'
import {
  type InstanceSecret,
  loadInstanceSecret,
  marksOf,
  missingSentence,
  previousSecretFile,
  secretFile,
} from '../instance-secret.ts'
import type { Db } from '../storage/dialect.ts'
import { compareSecrets } from '../storage/secret-mark.ts'
import { attempt, type Finding, fine, wrong } from './finding.ts'

/** Whether the secret can be read, wherever it comes from, and how many former ones stand beside it. */
export const examineSecretFiles = (config: Config): Promise<Finding> =>
  attempt(
    'secret',
    'Put it back from where you keep it beside your backups; without it stored passwords cannot be read.',
    async () => {
      const file = secretFile(config.dataFolder)
      const { former } = await readSecret(config)
      const says =
        config.secret === null
          ? `${file} is readable for its owner alone.`
          : 'The secret comes from ONESIXTY_SECRET.'
      if (former.length === 0) return says
      return `${says} Former ones in ${previousSecretFile(config.dataFolder)}: ${former.length}.`
    },
  )

/** Refuses where there is none: the doctor makes none. */
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

/** Whether every secret that the database was used with is at hand. Silent where none can be read: that is said of the machine. */
export async function examineSecret(db: Db, config: Config): Promise<Finding[]> {
  const secret = await readSecret(config).catch(() => null)
  if (secret === null) return []
  const name = 'secret_fits'
  const found = await compareSecrets(db, marksOf(secret))
  if (found.kind === 'fits') return [fine(name, 'Every secret that the database was used with is there.')]
  if (found.kind === 'unmarked')
    return [
      fine(name, 'The database bears no mark of a secret yet, so that any fits: the next start marks it.'),
    ]
  const says =
    found.kind === 'other'
      ? 'This secret is not the one that the database was made with.'
      : `Secrets that the database was used with and that are not there: ${found.missing.length}.`
  return [wrong(name, says, missingSentence(config, found))]
}
