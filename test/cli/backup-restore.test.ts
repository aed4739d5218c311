import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile } from '../../src/process/data-folder.ts'
import { replaceDatabase } from '../../src/storage/open/backup.ts'
import { openEmbedded } from '../../src/storage/sqlite/embedded-database.ts'
import { openDatabaseFile } from '../../src/storage/sqlite/database-file.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { lockFolder } from '../../src/storage/instance/folder-lock.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let accountId: string
let copy: string
beforeEach(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  copy = join(cli.dataFolder, 'copies.db')
})
afterEach(() => cli.close())

/** What a server does when it starts, as far as restores go. */
async function startServer() {
  const storage = await openEmbedded(
    { dataFolder: cli.dataFolder, busyTimeoutMs: 5_000, cacheKiB: 2_048 },
    Date.now(),
  )
  const started = await advanceEpoch(storage, cli.dataFolder, Date.now())
  await storage.close()
  return started
}

const grant = (sms: number) => cli.json(`account grant --account ${accountId} --sms ${sms} --note N`)
const granted = async (): Promise<number> => {
  const { accounts } = await cli.json<{ accounts: { balance: { live: { granted: number } } }[] }>(
    'account list',
  )
  return accounts[0]?.balance.live.granted ?? -1
}

test('a backup brings back what was there, keeps what is replaced, and says what to do', async () => {
  await startServer()
  await grant(5)
  const backup = await cli.run(`backup ${copy}`)
  expect([backup.code, backup.stdout]).toEqual([0, expect.stringContaining(`onesixty restore ${copy}`)])
  expect(backup.stdout).toContain(`Also store ${cli.dataFolder}/secret,`)
  const former = join(cli.dataFolder, 'secret.previous')
  await writeFile(former, `${'f'.repeat(40)}\n`, { mode: 0o600 })
  expect(await cli.json(`backup ${copy}.2`)).toMatchObject({ former_secrets: former })
  expect((await stat(copy)).mode & 0o777).toBe(0o600)
  await grant(100)
  expect(await granted()).toBe(115)

  const restored = await cli.json<{ previous_database: string }>(`restore ${copy}`)
  expect(await granted()).toBe(15)
  const previous = openDatabaseFile(restored.previous_database)
  expect(
    await previous.db.selectFrom('wallets').select('granted').where('mode', '=', 'live').execute(),
  ).toEqual([{ granted: 115 }])
  await previous.close()
  expect(await startServer()).toMatchObject({ epoch: 2, restored: true })
  expect(await startServer()).toMatchObject({ epoch: 3, restored: false })
})

/** The database as a killed server leaves it: seven more SMS stand in its log alone. */
async function leaveKilled(): Promise<string> {
  // Whoever closes a database last takes its log over.
  const serving = new DatabaseSync(databaseFile(cli.dataFolder))
  serving.exec('select count(*) from instance')
  await grant(7)
  const killed = join(cli.dataFolder, 'killed.db')
  for (const suffix of ['', '-wal'])
    await copyFile(`${databaseFile(cli.dataFolder)}${suffix}`, `${killed}${suffix}`)
  serving.close()
  return killed
}

test('a file that a killed server left is restored with what stands in its log alone', async () => {
  await cli.json(`restore ${await leaveKilled()}`)
  expect(await granted()).toBe(17)
})

test('the database that is replaced is kept whole in one file, its log included', async () => {
  await cli.json(`backup ${copy}`)
  const killed = await leaveKilled()
  const live = databaseFile(cli.dataFolder)
  for (const suffix of ['', '-wal']) await rename(`${killed}${suffix}`, `${live}${suffix}`)
  const { previous_database: kept } = await cli.json<{ previous_database: string }>(`restore ${copy}`)
  expect(await granted()).toBe(10)
  expect(
    (await readdir(cli.dataFolder)).filter((name) => name.startsWith('onesixty-before-restore')),
  ).toEqual([basename(kept)])
  await cli.json(`restore ${kept}`)
  expect(await granted()).toBe(17)
})

test('a database that cannot be read is put aside as it is, its log beside it', async () => {
  await cli.json(`backup ${copy}`)
  const live = databaseFile(cli.dataFolder)
  for (const file of [live, `${live}-wal`]) await writeFile(file, 'not a database at all '.repeat(100))
  const { previous_database: kept } = await cli.json<{ previous_database: string }>(`restore ${copy}`)
  for (const file of [kept, `${kept}-wal`]) expect(await readFile(file, 'utf8')).toContain('not a database')
  expect(await granted()).toBe(10)
})

test('a backup overwrites nothing and leaves nothing half-made behind', async () => {
  await writeFile(copy, 'mine')
  expect((await cli.run(`backup ${copy}`)).stderr).toContain('already exists')
  expect(await readFile(copy, 'utf8')).toBe('mine')
  expect((await cli.run(`backup ${cli.dataFolder}/none/copy.db`)).code).toBe(1)
  await cli.json(`backup ${cli.dataFolder}/good.db`)
  const left = (await readdir(cli.dataFolder)).filter((name) => !name.startsWith('onesixty.db'))
  expect(left.toSorted()).toEqual(['copies.db', 'good.db', 'secret'])
})

test('a restore that fails leaves the database, and no copy of it beside it', async () => {
  await cli.json(`backup ${copy}`)
  const nowMs = Date.UTC(2026, 0, 1)
  await writeFile(join(cli.dataFolder, 'onesixty-before-restore-20260101T000000000Z.db'), 'of somebody else')
  await expect(replaceDatabase(cli.dataFolder, copy, nowMs)).rejects.toThrow('already exists')
  expect((await readdir(cli.dataFolder)).filter((name) => name.includes('restoring'))).toEqual([])
  expect(await granted()).toBe(10)
})

test('a copy is marked: put in place by hand, with any number in the file beside it, it is known for one', async () => {
  await startServer()
  await cli.json(`backup ${copy}`)
  const opened = openDatabaseFile(copy)
  expect(await opened.db.selectFrom('instance').select('epoch').execute()).toEqual([{ epoch: -1 }])
  await opened.close()
})

test('while a server holds the folder nothing is restored', async () => {
  await cli.json(`backup ${copy}`)
  const held = await lockFolder(cli.dataFolder, { nowMs: 0, purpose: 'onesixty serve' })
  await grant(1)
  const { code, stderr } = await cli.run(`restore ${copy} --json`)
  held.release()
  expect([code, JSON.parse(stderr)]).toEqual([
    1,
    { error: { code: 'in_use', message: expect.stringContaining('onesixty serve') } },
  ])
  expect(await granted()).toBe(11)
})

test('what is no sound database of this program is not restored', async () => {
  const wrong = join(cli.dataFolder, 'wrong.db')
  await writeFile(wrong, 'not a database at all, but long enough to be looked at '.repeat(100))
  expect((await cli.run(`restore ${wrong} --json`)).stderr).toContain('not_a_backup')
  expect((await cli.run(`restore ${cli.dataFolder}/missing.db`)).code).toBe(1)

  await cli.json(`backup ${copy}`)
  const bytes = await readFile(copy)
  bytes.fill(0xff, 8_192, 16_384)
  await writeFile(wrong, bytes)
  expect((await cli.run(`restore ${wrong} --json`)).stderr).toContain('not_a_backup')
  expect(await granted()).toBe(10)
})

test('a backup that is made while another process writes is sound, and all its sums add up', async () => {
  const module = new URL('../../src/cli/command-line.ts', import.meta.url).href
  const script = `import { runCommandLine } from ${JSON.stringify(module)}
    const io = { stdout: { write() {} }, stderr: process.stderr, stdin: process.stdin, env: { ONESIXTY_DATA: ${JSON.stringify(cli.dataFolder)} } }
    for (let i = 0; ; i++) {
      if (i === 3) process.stdout.write('writing')
      await runCommandLine(['account', 'grant', '--account', ${JSON.stringify(accountId)}, '--sms', '1', '--note', 'N'], io)
    }`
  const writer = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(writer.stdout, 'data')
  const sizes: number[] = []
  for (let i = 0; i < 3; i++) {
    expect(await cli.json(`backup ${copy}.${i}`)).toMatchObject({ sums_hold: true })
    const opened = openDatabaseFile(`${copy}.${i}`)
    const { entries } = await opened.db
      .selectFrom('ledger_entries')
      .select(({ fn }) => fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow()
    sizes.push(entries)
    await opened.close()
  }
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes)
  expect(new Set(sizes).size).toBeGreaterThan(1)
})

test('a database whose sums do not hold is copied all the same, and said to be so', async () => {
  const storage = await openEmbedded(
    { dataFolder: cli.dataFolder, busyTimeoutMs: 5_000, cacheKiB: 2_048 },
    Date.now(),
  )
  await storage.writer.write((tx) => tx.updateTable('wallets').set({ granted: 99 }).execute())
  await storage.close()
  const { code, stdout } = await cli.run(`backup ${copy} --json`)
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ sums_hold: false, broken_sums: ['granted_is_ledger'] })
  expect((await stat(copy)).size).toBeGreaterThan(0)
  expect((await stat(databaseFile(cli.dataFolder))).size).toBeGreaterThan(0)
})

test('a folder that is not there, and a mistyped decision, are told as such', async () => {
  await cli.json('account create --name Eve --email eve@example.org')
  expect((await cli.run(`backup ${cli.dataFolder}/nowhere/copy.db`)).stderr).toContain(
    `The folder ${cli.dataFolder}/nowhere does not exist. Create it first`,
  )
  expect((await cli.run('restore relase')).stderr).toContain("Did you mean 'restore release'?")
})
