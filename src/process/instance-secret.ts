import { randomBytes } from 'node:crypto'
import { link, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { rfc3339 } from '../runtime/clock.ts'
import type { InstanceSecret } from '../runtime/derived-keys.ts'
import { ConfigError } from '../config.ts'
import { databaseFile, makeDataFolder } from './data-folder.ts'
import { flushPath, hasCode, isLastingFault, isThere, readIfThere } from './durable-file.ts'

/** Secrets that a database was used with and that are not at hand: some of them, or every one. */
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
/** Where an operator who changes the secret leaves the former ones, one a line, the newest first. */
export const previousSecretFile = (dataFolder: string): string => join(dataFolder, 'secret.previous')

/**
 * The secret of this instance: ONESIXTY_SECRET when set, else the file `secret` of the data folder, which is made before an embedded database
 * is: one that is there without it has lost it, and a new one in silence would lose all that the old one sealed. On PostgreSQL it must be
 * given, for all nodes need the same. The former ones stand in `secret.previous`. Refuses files that others may read, secrets below 32 characters, and those of several lines.
 */
export async function loadInstanceSecret({
  dataFolder,
  secret,
  databaseUrl,
}: SecretSettings): Promise<InstanceSecret> {
  const file = secretFile(dataFolder)
  // Looked for first: of two processes that make both at once, the other may be between the two.
  const hasDatabase = await isThere(databaseFile(dataFolder))
  const given = secret ?? (await readSecret(file))
  if (given === null && databaseUrl !== null)
    throw new ConfigError(
      'With DATABASE_URL the secret must be set: ONESIXTY_SECRET, at least 32 characters, the same on every node.',
    )
  if (given === null && hasDatabase) throw new ConfigError(lostSentence(file))
  const current = given ?? (await makeSecret(dataFolder, file))
  if (current.length < minLength) throw new ConfigError(`The secret needs at least ${minLength} characters.`)
  if (/[\r\n]/.test(current))
    throw new ConfigError(
      'The secret must be one line: once it is changed, it stands as a line among the former ones.',
    )
  const former = await readFormer(previousSecretFile(dataFolder))
  // One that is named twice is one: Better Auth refuses a version that comes twice.
  return { current, former: [...new Set(former)].filter((each) => each !== current) }
}

const lostSentence = (file: string): string =>
  `${file} is not there, and the database beside it was made with a secret. Put it back from where you keep it, or set ONESIXTY_SECRET to it. If it is lost, make a new one to go on, as the user that the server runs as: umask 077; openssl rand -hex 32 > ${file}; onesixty secret accept. ${lossSentence}`

/** Said where secrets that the database was used with are not at hand. */
export function missingSentence(
  { dataFolder, secret }: Pick<SecretSettings, 'dataFolder' | 'secret'>,
  { kind, missing }: MissingSecrets,
): string {
  const former = previousSecretFile(dataFolder)
  if (kind === 'other')
    return `This database was made with another secret than the one in ${secret === null ? secretFile(dataFolder) : 'ONESIXTY_SECRET'}. Put that one back from where you keep it beside your backups; where the secret was changed, as a line of ${former}. If it is lost, go on with this one: onesixty secret accept. ${lossSentence}`
  const named = missing.map(({ mark, firstSeenAt }) => `${mark} (since ${rfc3339(firstSeenAt)})`).join(', ')
  const count = missing.length === 1 ? 'one is' : `${missing.length} are`
  return `Of the secrets that this database was used with ${count} not there, by mark: ${named}. Put each back into ${former}, one a line, the newest first. Where one is lost, go on without it: onesixty secret accept. ${lossSentence}`
}

/** Said wherever a secret may be given up. */
export const lossSentence =
  'Passwords of links, webhook secrets, keys of phones and second factors that a lost secret sealed cannot be read again then, and opt-outs of numbers that were erased under it hold no more.'

/** The secret that the file holds, or null when there is none. */
async function readSecret(file: string): Promise<string | null> {
  const secret = await readPrivate(file)
  return secret === null ? null : longEnough(file, secret)
}

/** One a line. */
async function readFormer(file: string): Promise<string[]> {
  const text = await readPrivate(file)
  return text === null ? [] : text.split(/\s*\n\s*/).map((secret) => longEnough(file, secret))
}

async function readPrivate(file: string): Promise<string | null> {
  const text = await readIfThere(file).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!isLastingFault(code)) throw error
    throw new ConfigError(
      `${file} cannot be read (${code}). It must be a file of the user that onesixty runs as, whose id is ${process.geteuid?.() ?? 'unknown'} here, with the rights 600.`,
    )
  })
  if (text === null) return null
  if (((await stat(file)).mode & 0o077) !== 0)
    throw new ConfigError(`Others may read ${file}. Run: chmod 600 ${file}`)
  return text.trim()
}

function longEnough(file: string, secret: string): string {
  if (secret.length < minLength)
    throw new ConfigError(`The secret in ${file} needs at least ${minLength} characters.`)
  return secret
}

/**
 * Written whole and flushed under another name, then linked: a crash leaves no half of it, and of two processes that start at once
 * the second takes what the first one made.
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
  if (made === null) throw new Error(`${file} vanished while it was being made.`)
  return made
}
