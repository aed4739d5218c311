import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../src/config.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { loadInstanceSecret, previousSecretFile, secretFile } from '../../src/process/instance-secret.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-secret-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('makes the secret once, readable for its owner alone, and leaves nothing else behind', async () => {
  const made = await loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })
  expect(made.current.length).toBeGreaterThanOrEqual(43)
  expect(made.former).toEqual([])
  expect((await stat(secretFile(folder))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['secret'])
  expect(await loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })).toEqual(made)
})

test('of twenty that start at once all take the same secret', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 20 }, () =>
      loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null }),
    ),
  )
  expect(new Set(secrets.map((secret) => secret.current)).size).toBe(1)
  expect(await readdir(folder)).toEqual(['secret'])
})

test('the environment goes before the file, and then no file is made', async () => {
  const given = 'from the environment, 32 characters'
  expect((await loadInstanceSecret({ dataFolder: folder, secret: given, databaseUrl: null })).current).toBe(
    given,
  )
  expect(await readdir(folder)).toEqual([])
  await expect(
    loadInstanceSecret({ dataFolder: folder, secret: 'short', databaseUrl: null }),
  ).rejects.toThrow('at least 32 characters')
})

test.for(['\n', '\r\n'])(
  'refuses a secret of several lines, which could not stand among the former ones',
  async (end) => {
    const secret = `${'a'.repeat(40)}${end}${'b'.repeat(40)}`
    await expect(loadInstanceSecret({ dataFolder: folder, secret, databaseUrl: null })).rejects.toThrow(
      'single line',
    )
    await writeFile(secretFile(folder), `${secret}\n`, { mode: 0o600 })
    await expect(loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })).rejects.toThrow(
      'single line',
    )
  },
)

test('refuses a secret that others may read', async () => {
  await loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })
  for (const mode of [0o640, 0o604, 0o660, 0o644]) {
    await chmod(secretFile(folder), mode)
    await expect(loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })).rejects.toThrow(
      'chmod 600',
    )
  }
})

test('refuses a file that was emptied, instead of making a new secret', async () => {
  await writeFile(secretFile(folder), '\n', { mode: 0o600 })
  await expect(loadInstanceSecret({ dataFolder: folder, secret: null, databaseUrl: null })).rejects.toThrow(
    'at least 32 characters',
  )
  expect(await readFile(secretFile(folder), 'utf8')).toBe('\n')
})

test('a database that has lost its secret gets no new one in silence, and goes on with what is put there or set', async () => {
  const settings = { dataFolder: folder, secret: null, databaseUrl: null }
  await writeFile(databaseFile(folder), '')
  await expect(loadInstanceSecret(settings)).rejects.toThrow(`openssl rand -hex 32 > ${secretFile(folder)}`)
  expect(await readdir(folder)).toEqual(['onesixty.db'])
  const set = 'from the environment, 32 characters'
  expect((await loadInstanceSecret({ ...settings, secret: set })).current).toBe(set)
  await writeFile(secretFile(folder), `${'n'.repeat(64)}\n`, { mode: 0o600 })
  expect((await loadInstanceSecret(settings)).current).toBe('n'.repeat(64))
})

const settings = () => ({ dataFolder: folder, secret: 'c'.repeat(40), databaseUrl: null })
const [newer, older] = ['n'.repeat(40), 'o'.repeat(40)] as const

test('finds the former secrets beside it, one a line in their order, each once and never the current one', async () => {
  const text = `${newer}\n${older}\r\n\n${newer}\n${settings().secret}\n`
  await writeFile(previousSecretFile(folder), text, { mode: 0o600 })
  expect(await loadInstanceSecret(settings())).toEqual({ current: settings().secret, former: [newer, older] })
})

test.for([
  ['that others may read', `${newer}\n`, 0o644, 'chmod 600'],
  ['of which one is too short', `${newer}\nshort\n`, 0o600, 'at least 32 characters'],
  ['that were emptied', '\n', 0o600, 'at least 32 characters'],
] as const)('refuses former secrets %s', async ([, text, mode, why]) => {
  await writeFile(previousSecretFile(folder), text, { mode })
  await expect(loadInstanceSecret(settings())).rejects.toThrow(why)
})

test.for(['secret', 'secret.previous'])(
  'what stands in the place of %s and cannot be read is a fault of the set-up, which lasts',
  async (name) => {
    await mkdir(join(folder, name), { mode: 0o700 })
    const given = { dataFolder: folder, secret: name === 'secret' ? null : newer, databaseUrl: null }
    const refused = loadInstanceSecret(given)
    await expect(refused).rejects.toThrow(ConfigError)
    await expect(refused).rejects.toThrow(`${join(folder, name)} cannot be read (EISDIR)`)
  },
)
