import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile } from '../../src/process/data-folder.ts'
import { isThere } from '../../src/process/durable-file.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { eventually } from '../eventually.ts'
import { cliProcess, startServerProcess } from '../harness.ts'
import { type Cli, openCli } from './run-cli.ts'

let house: Cli
beforeEach(async () => {
  house = await openCli()
  const server = await startServerProcess({ dataFolder: house.dataFolder, isFirst: false })
  // Nothing of so young a database stands anywhere but in its log.
  await server.kill('SIGKILL')
})
afterEach(() => house.close())

const serve = () => cliProcess(['serve'], { dataFolder: house.dataFolder, env: { ONESIXTY_PORT: '0' } })

/** A checkout says `./onesixty`. */
const remedyOf = (file: string): RegExp =>
  new RegExp(`${file} is missing or empty. Restore it \\((\\./)?onesixty restore <file>\\)\\.`)

test('a server whose database is gone ends with 78 and makes no new one; put back, it is served', async () => {
  const file = databaseFile(house.dataFolder)
  for (const suffix of ['', '-wal', '-shm']) await rename(`${file}${suffix}`, `${file}.away${suffix}`)
  const words = remedyOf(file)
  expect(await serve()).toMatchObject({ code: 78, stderr: expect.stringMatching(words) })
  expect(await house.run('account list')).toMatchObject({ code: 78, stderr: expect.stringMatching(words) })
  expect(await isThere(file)).toBe(false)
  await writeFile(file, '')
  expect(await house.run('account list')).toMatchObject({ code: 78, stderr: expect.stringMatching(words) })
  for (const suffix of ['', '-wal', '-shm']) await rename(`${file}.away${suffix}`, `${file}${suffix}`)
  const server = await startServerProcess({ dataFolder: house.dataFolder, isFirst: false })
  expect(await server.stop()).toMatchObject({ code: 0 })
})

test.for([
  ['of another program', 'create table notes (text)'],
  ['without any table', 'create table t (n); drop table t'],
] as const)('nor does a command work with a file %s that stands in its place', async ([, statements]) => {
  const file = databaseFile(house.dataFolder)
  for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`)
  const other = new DatabaseSync(file)
  other.exec(statements)
  other.close()
  const words = remedyOf(file)
  const target = join(house.dataFolder, 'copy.db')
  for (const line of ['account list', `backup ${target}`, 'move --to postgres://ada@127.0.0.1:1/none'])
    expect(await house.run(line), line).toMatchObject({ stderr: expect.stringMatching(words) })
  expect((await house.run('doctor')).stdout).toMatch(words)
  expect(await isThere(target)).toBe(false)
})

test('one whose log is gone is taken for a restored one', async () => {
  await rm(`${databaseFile(house.dataFolder)}-wal`)
  const server = await startServerProcess({ dataFolder: house.dataFolder, isFirst: false })
  await eventually(server.output, (said) => expect(said).toContain('this database was restored'))
  expect(await server.stop()).toMatchObject({ code: 0 })
})

test('a new one is begun once the file of epochs is removed', async () => {
  const file = databaseFile(house.dataFolder)
  for (const path of [file, `${file}-wal`, `${file}-shm`, epochFile(house.dataFolder)]) await rm(path)
  const server = await startServerProcess({ dataFolder: house.dataFolder, isFirst: true })
  expect(await server.stop()).toMatchObject({ code: 0 })
})
