import type { Config } from '../config.ts'
import { loadInstanceSecret, marksOf, otherSecretSentence } from '../instance-secret.ts'
import type { Db } from '../storage/dialect.ts'
import { isOfSecret } from '../storage/secret-mark.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** Whether the secret at hand is the one that the database was made with. Silent where there is none: that is said of the machine. */
export async function examineSecret(db: Db, config: Config): Promise<Finding[]> {
  const secret = await loadInstanceSecret(config).catch(() => null)
  if (secret === null) return []
  const name = 'secret_fits'
  if (await isOfSecret(db, marksOf(secret))) return [fine(name, 'The database was made with this secret.')]
  return [
    wrong(name, 'This secret is not the one that the database was made with.', otherSecretSentence(config)),
  ]
}
