import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabaseFile, readSyncLevel } from '../../src/storage/sqlite/database-file.ts'
import { openForCommand } from '../../src/storage/open/command-storage.ts'
import { readConfig } from '../../src/config.ts'
import { databaseFile } from '../../src/process/data-folder.ts'

/** Files of a folder that this process has open. */
async function openFilesOf(folder: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd')
  const paths = await Promise.all(numbers.map((n) => readlink(`/proc/self/fd/${n}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}

test.skipIf(process.platform !== 'linux')(
  'whatever opens a database for a while has let go of its file in the end, also where it asked for nothing',
  async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-local-'))
    onTestFinished(() => rm(dataFolder, { recursive: true }))
    const storage = await openForCommand(readConfig({ ONESIXTY_DATA: dataFolder }), 1)
    expect(await openFilesOf(dataFolder)).not.toEqual([])
    await storage.close()
    expect(await openFilesOf(dataFolder)).toEqual([])
    await openDatabaseFile(databaseFile(dataFolder)).close()
    expect(await readSyncLevel(databaseFile(dataFolder))).toBe(2)
    expect(await openFilesOf(dataFolder)).toEqual([])
  },
)
