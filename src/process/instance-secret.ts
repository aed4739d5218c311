import { randomBytes } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { rfc3339 } from '../runtime/clock.ts'
import type { InstanceSecret } from '../runtime/derived-keys.ts'
import { ConfigError } from '../config.ts'
import { databaseFile, makeDataFolder } from './data-folder.ts'
import { flushPath, hasCode, isLastingFault, isThere, readIfThere } from './durable-file.ts'
import { ownCommand } from './own-command.ts'

/** Secrets that a database was used with and that are missing: some of them, or all. */
export interface MissingSecrets {
  kind: 'former_missing' | 'other'
  missing: readonly { mark: string; firstSeenAt: number }[]
}

export interface SecretSettings {
  dataFolder: string
  secret: string | null
  databaseUrl: string | null
}

const minLength = 32

export const secretFile = (dataFolder: string): string => join(dataFolder, 'secret')
/** File in which an operator who changes the secret keeps the former ones, one per line, the newest first. */
export const previousSecretFile = (dataFolder: string): string => join(dataFolder, 'secret.previous')

/**
 * Returns the secret of this instance: ONESIXTY_SECRET if set, else the file `secret` of the data folder. The
 * file is created before an embedded database is. A database without the file means that the file was lost: a
 * new secret, created silently, would make everything unreadable that the old one encrypted. On PostgreSQL
 * the secret must be set, because all nodes need the same. Former secrets are in `secret.previous`. Rejects
 * files that other users can read, secrets below 32 characters, and secrets of several lines.
 */
export async function loadInstanceSecret({
  dataFolder,
  secret,
  databaseUrl,
}: SecretSettings): Promise<InstanceSecret> {
  const file = secretFile(dataFolder)
  // Checked first: if two processes create both at the same time, the other one may be between the two.
  const hasDatabase = await isThere(databaseFile(dataFolder))
  const known = secret ?? (await readSecret(file))
  if (known === null && databaseUrl !== null)
    throw new ConfigError(
      'With DATABASE_URL the secret must be set: ONESIXTY_SECRET, at least 32 characters, the same on every node.',
    )
  if (known === null && hasDatabase) throw new ConfigError(lostSentence(file))
  const current = known ?? (await makeSecret(dataFolder, file))
  if (current.length < minLength) throw new ConfigError(`The secret needs at least ${minLength} characters.`)
  if (/[\r\n]/.test(current))
    throw new ConfigError(
      'The secret must be a single line: once it is changed, it becomes a line of the file of former secrets.',
    )
  const former = await readFormer(previousSecretFile(dataFolder))
  // Duplicates are removed: Better Auth rejects a version that is listed twice.
  return { current, former: [...new Set(former)].filter((each) => each !== current) }
}

const lostSentence = (file: string): string =>
  `${file} is missing, and the database next to it was created with a secret. Restore the file from where you keep it, or set ONESIXTY_SECRET to its content. If the secret is lost, create a new one, as the user that the server runs as: umask 077; openssl rand -hex 32 > ${file}; ${ownCommand()} secret accept. ${lossSentence}`

/** Returns the error for secrets that the database was used with and that are missing. */
export function missingSentence(
  { dataFolder, secret }: Pick<SecretSettings, 'dataFolder' | 'secret'>,
  { kind, missing }: MissingSecrets,
): string {
  const former = previousSecretFile(dataFolder)
  if (kind === 'other')
    return `This database was created with another secret than the one in ${secret === null ? secretFile(dataFolder) : 'ONESIXTY_SECRET'}. Restore that one from where you keep it, apart from your backups; if the secret was changed, add it as a line of ${former}. If it is lost, continue with the current one: ${ownCommand()} secret accept. ${lossSentence}`
  const named = missing.map(({ mark, firstSeenAt }) => `${mark} (since ${rfc3339(firstSeenAt)})`).join(', ')
  const are = missing.length === 1 ? 'is' : 'are'
  return `${missing.length} of the secrets that this database was used with ${are} missing, by mark: ${named}. Add each to ${former}, one per line, the newest first. If one is lost, continue without it: ${ownCommand()} secret accept. ${lossSentence}`
}

/** Shown wherever a secret can be declared lost. */
export const lossSentence =
  'Everything that was encrypted with a lost secret is then unreadable: SMPP passwords, webhook secrets, keys of phones and second factors. Opt-outs of numbers that were erased under it no longer apply.'

/** Returns the secret in the file, or null if there is no file. */
async function readSecret(file: string): Promise<string | null> {
  const secret = await readPrivate(file)
  return secret === null ? null : longEnough(file, secret)
}

/** Reads former secrets, one per line. */
async function readFormer(file: string): Promise<string[]> {
  const text = await readPrivate(file)
  return text === null ? [] : text.split(/\s*\n\s*/).map((secret) => longEnough(file, secret))
}

async function readPrivate(file: string): Promise<string | null> {
  const text = await readIfThere(file).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!isLastingFault(code)) throw error
    throw new ConfigError(
      `${file} cannot be read (${code}). It must belong to the user that onesixty runs as (user ID ${process.geteuid?.() ?? 'unknown'}) and have mode 600.`,
    )
  })
  if (text === null) return null
  if (((await stat(file)).mode & 0o077) !== 0)
    throw new ConfigError(`${file} is readable by other users. Run: chmod 600 ${file}`)
  return text.trim()
}

function longEnough(file: string, secret: string): string {
  if (secret.length < minLength)
    throw new ConfigError(`The secret in ${file} needs at least ${minLength} characters.`)
  return secret
}

/**
 * Creates the secret. It is written as a whole and flushed under another name, then linked: a crash leaves no
 * half of it, and of two processes that start at the same time the second uses what the first one created.
 */
async function makeSecret(dataFolder: string, file: string): Promise<string> {
  await makeDataFolder(dataFolder)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  await rm(draft)
  await flushPath(dataFolder)
  const made = await readSecret(file)
  if (made === null) throw new Error(`${file} was removed while it was being created.`)
  return made
}
