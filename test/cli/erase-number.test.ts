import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { tracesOf } from './traces-of.ts'
import { readMessages, serveOnce } from './waiting-messages.ts'

let cli: Cli
let accountId: string
let waiting: { recipient: string; text: string | null }[]
beforeEach(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  await cli.json(`account grant --account ${accountId} --sms 100 --note room`)
  await serveOnce(cli.dataFolder, accountId, 100)
  const { db, close } = openDatabase(cli.dataFolder)
  waiting = await db.selectFrom('messages').select(['recipient', 'text']).execute()
  await close()
})
afterEach(() => cli.close())

test('a number that is erased stands in no byte of the database, its log or a copy, and every sum holds', async () => {
  const number = waiting[0]?.recipient as string
  const texts = [number, number.slice(1), waiting[0]?.text as string]
  const said = await cli.json(`message erase --number ${number}`)
  expect(said).toEqual({
    ok: true,
    erased_messages: 100,
    canceled_messages: 100,
    being_handed_over: 0,
    log_emptied: !isPostgres,
  })
  expect(await tracesOf(texts, cli.dataFolder)).toEqual([])
  expect(await readMessages(cli.dataFolder)).toMatchObject({
    costs: Array.from({ length: 100 }, () => 'released'),
  })
  expect((await cli.run('doctor')).code).toBe(0)
  expect(await cli.json(`message erase --number ${number} --account ${accountId}`)).toMatchObject({
    erased_messages: 0,
  })
})

test('a number in another spelling, and an account that is none, are refused', async () => {
  expect((await cli.run('message erase --number 015112345678')).code).toBe(2)
  expect((await cli.run('message erase --number +4915112345678 --account acc_nobody')).code).not.toBe(0)
})
