import type { Config } from '../config.ts'
import { loadInstanceSecret, marksOf, missingSentence } from '../instance-secret.ts'
import type { Db } from '../storage/dialect.ts'
import { compareSecrets } from '../storage/secret-mark.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** Whether every secret that the database was used with is at hand. Silent where there is none: that is said of the machine. */
export async function examineSecret(db: Db, config: Config): Promise<Finding[]> {
  const secret = await loadInstanceSecret(config).catch(() => null)
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
