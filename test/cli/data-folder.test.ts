import { chmod, chown, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/config.ts'
import { makeDataFolder, unwritable } from '../../src/process/data-folder.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

test('it is made with the folders above it, for its owner alone, and nothing is left in it', async () => {
  const dataFolder = join(folder, 'a/b/c')
  await makeDataFolder(dataFolder)
  expect((await stat(dataFolder)).mode & 0o777).toBe(0o700)
  await makeDataFolder(dataFolder)
  expect(await readdir(dataFolder)).toEqual([])
})

test('processes that make it at once do not meet', async () => {
  for (let round = 0; round < 100; round++) {
    const dataFolder = join(folder, String(round), 'a/b/c')
    await Promise.all(Array.from({ length: 3 }, () => makeDataFolder(dataFolder)))
    expect(await readdir(dataFolder)).toEqual([])
  }
})

test('a folder that takes no files is refused, whoever may write there', async () => {
  await expect(makeDataFolder('/proc')).rejects.toThrow('cannot be created or written to (')
})

test('so is one that this user may not write to', async () => {
  await chmod(folder, 0o500)
  await asOrdinaryUser(() =>
    expect(makeDataFolder(folder)).rejects.toThrow('cannot be created or written to (EACCES)'),
  )
})

/** No folder is closed to root, so root becomes `nobody`, whose folder it is, for as long as this takes. */
async function asOrdinaryUser(run: () => Promise<void>): Promise<void> {
  const nobody = 65_534
  if (process.getuid?.() !== 0) return run()
  await chown(folder, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}

/** The harness ends a server that is not ready within 20 s, with another sentence. */
describe.skipIf(process.platform !== 'linux')('a server ends with a sentence that says what to do', () => {
  test.for([
    ['in a file system where nothing can be made', (): string => '/proc/x/y', 'ENOENT'],
    ['on a device', (): string => '/dev/null', 'EEXIST'],
    ['on a file', (): string => join(folder, 'file'), 'EEXIST'],
    ['under a file', (): string => join(folder, 'file/data'), 'ENOTDIR'],
  ] as const)('%s', { timeout: 40_000 }, async ([, path, code]) => {
    await writeFile(join(folder, 'file'), 'x')
    const dataFolder = path()
    await expect(startServerProcess({ dataFolder })).rejects.toThrow(
      `The server ended with 78 before it was ready: onesixty: ONESIXTY_DATA: the folder ${dataFolder} cannot be created or written to (${code}). Choose another folder, or grant this user write access.`,
    )
  })
})

test.each([
  ['ENOSPC', false],
  ['EDQUOT', false],
  ['EMFILE', false],
  ['EIO', false],
  ['ENOMEM', false],
  ['EBUSY', false],
  ['unknown', false],
  ['EACCES', true],
  ['EPERM', true],
  ['EROFS', true],
  ['ENOTDIR', true],
])(
  'a folder that cannot be written to (%s) is a matter of settings: %s; what is not known to last is tried again',
  (code, isSettings) => {
    const error = unwritable('/data', code)
    expect(error.message).toContain(`(${code})`)
    expect(error instanceof ConfigError).toBe(isSettings)
  },
)
