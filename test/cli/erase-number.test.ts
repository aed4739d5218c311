import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile } from '../../src/storage/database.ts'
import { isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { readMessages, serveOnce } from './waiting-messages.ts'

let cli: Cli
let accountId: string
beforeEach(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  await cli.json(`account grant --account ${accountId} --sms 100 --note room`)
  await serveOnce(cli.dataFolder, accountId, 100)
})
afterEach(() => cli.close())

let copies = 0
/** Which of the texts stand anywhere in the bytes of the database, its log, or a copy. */
async function inBytes(texts: readonly string[]): Promise<string[]> {
  const copy = `${cli.dataFolder}/copy-${(copies += 1)}.db`
  const database = new DatabaseSync(databaseFile(cli.dataFolder), { readOnly: true })
  database.exec(`vacuum into '${copy}'`)
  const files = [databaseFile(cli.dataFolder), `${databaseFile(cli.dataFolder)}-wal`, copy]
  const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
  database.close()
  return texts.filter((text) => bytes.some((each) => each.includes(text)))
}

test.skipIf(isPostgres)(
  'a number that is erased stands in no byte of the database, its log or a copy, and every sum holds',
  async () => {
    const number = '+4915112345678'
    const texts = [number, number.slice(1), 'Hello']
    expect(await inBytes(texts)).toEqual(texts)
    const said = await cli.json(`message erase --number ${number}`)
    expect(said).toEqual({
      ok: true,
      erased_messages: 100,
      canceled_messages: 100,
      being_handed_over: 0,
      log_emptied: true,
    })
    expect(await inBytes(texts)).toEqual([])
    expect(await readMessages(cli.dataFolder)).toMatchObject({
      costs: Array.from({ length: 100 }, () => 'released'),
    })
    expect((await cli.run('doctor')).code).toBe(0)
    expect(await cli.json(`message erase --number ${number} --account ${accountId}`)).toMatchObject({
      erased_messages: 0,
    })
  },
)

test('it works on either database, and says whether its log was emptied', async () => {
  expect(await cli.json('message erase --number +4915112345678')).toMatchObject({
    ok: true,
    erased_messages: 100,
    log_emptied: !isPostgres,
  })
  const { stdout } = await cli.run('message erase --number +4915112345678')
  expect(stdout.includes('until it vacuums them')).toBe(isPostgres)
})

test('a number in another spelling, and an account that is none, are refused', async () => {
  expect((await cli.run('message erase --number 015112345678')).code).toBe(2)
  expect((await cli.run('message erase --number +4915112345678 --account acc_nobody')).code).not.toBe(0)
})
