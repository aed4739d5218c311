import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/config.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import { createLog } from '../../src/process/log.ts'
import type { MoveTable } from '../../src/storage/tables/move-tables.ts'
import { openDatabaseFile } from '../../src/storage/sqlite/database-file.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { openNearFolder } from '../open-near.ts'
import { databaseSettings, isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'

/** About the file of the embedded database: on PostgreSQL there is none. */
const testOfFile = (name: string, run: () => Promise<void>): void => {
  // oxlint-disable-next-line vitest/expect-expect, vitest/no-conditional-tests, vitest/valid-title
  if (!isPostgres) test(name, run)
}

let cli: Cli
beforeEach(async () => {
  cli = await openCli()
  await loadInstanceSecret(readConfig(databaseSettings(cli.dataFolder)))
  const storage = await openNearFolder(cli.dataFolder, 0)
  await storage.close()
})
afterEach(() => cli.close())

const out = { id: 'mov_a', direction: 'out', place: 'postgres://ada@db.example.org/onesixty', copy_id: 'mov_b', started_at: 1 } as const // prettier-ignore

/** As `onesixty move` leaves it. */
async function remember(move: Omit<MoveTable, 'finished_at'> & { finished_at?: number }): Promise<void> {
  const storage = await openNearFolder(cli.dataFolder, 0)
  await storage.writer.write((tx) =>
    tx
      .insertInto('moves')
      .values({ finished_at: null, ...move })
      .execute(),
  )
  await storage.close()
}

const serve = () =>
  createApp(
    readConfig({ ...databaseSettings(cli.dataFolder), ONESIXTY_PORT: '0' }),
    createLog('silent', { write: () => undefined }),
  )

test('a database that has moved is neither served nor worked with: it says where it is and how to go back', async () => {
  await remember({ ...out, finished_at: Date.parse('2026-11-21T09:30:00.000Z') })
  const sentence = `The database in ${cli.dataFolder} was moved to postgres://ada@db.example.org/onesixty (2026-11-21T09:30:00.000Z) and has been read-only since. Set DATABASE_URL to that address and ONESIXTY_SECRET to the content of ${cli.dataFolder}/secret. The only way back is a backup, which lacks later changes: onesixty restore <file>.`
  await expect(serve()).rejects.toThrow(sentence)
  for (const line of [
    'account list',
    'account create --name Eve --email eve@example.org',
    'migrate',
    'restore release',
  ]) {
    const { code, stderr } = await cli.run(`${line} --json`)
    expect([line, code, JSON.parse(stderr)]).toEqual([
      line,
      78,
      { error: { code: 'moved', message: sentence } },
    ])
  }
})

testOfFile('neither is it copied or examined, for there is one database to look after', async () => {
  await remember({ ...out, finished_at: 1 })
  for (const line of [`backup ${join(cli.dataFolder, 'copy.db')}`, 'doctor'])
    expect((await cli.run(`${line} --json`)).stderr).toContain('"code":"moved"')
})

test('a database that a move has not wholly filled is refused until it has', async () => {
  await remember({ ...out, direction: 'in', place: 'ada:/srv/onesixty/data' })
  const sentence =
    'The move to this database from ada:/srv/onesixty/data is incomplete. Run onesixty move there again: it continues where it stopped.'
  await expect(serve()).rejects.toThrow(sentence)
  for (const line of ['account list', 'doctor']) expect((await cli.run(line)).stderr).toContain(sentence)
})

test('one that a move has filled is served as any other', async () => {
  await remember({ ...out, direction: 'in', finished_at: 1 })
  expect((await cli.run('account list')).code).toBe(0)
})

test('a server or command in between makes an unfinished move begin anew, and finds everything as it was', async () => {
  await remember(out)
  expect((await cli.run('account list')).code).toBe(0)
  const storage = await openNearFolder(cli.dataFolder, 0)
  expect(await storage.read.selectFrom('moves').select(['id', 'copy_id']).execute()).toEqual([
    { id: 'mov_a', copy_id: null },
  ])
  await storage.close()
})

testOfFile('a backup is a house of its own, which has not begun to move', async () => {
  await remember(out)
  const copy = join(cli.dataFolder, 'copy.db')
  await cli.json(`backup ${copy}`)
  const movesIn = async (file: string) => {
    const { db, close } = openDatabaseFile(file)
    const moves = await db.selectFrom('moves').select('copy_id').execute()
    await close()
    return moves
  }
  expect(await movesIn(copy)).toEqual([])
  expect(await movesIn(databaseFile(cli.dataFolder))).toEqual([{ copy_id: 'mov_b' }])
})
