import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { readMessages, serveOnce } from './waiting-messages.ts'

let cli: Cli
let accountId: string
let ids: string[]
beforeEach(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  await serveOnce(cli.dataFolder, accountId, 3)
  const { db, close } = openDatabase(cli.dataFolder)
  ids = (await db.selectFrom('messages').select('id').orderBy('id').execute()).map(({ id }) => id)
  await close()
})
afterEach(() => cli.close())

test('messages that wait are canceled by name, their SMS are free again, and the others stay', async () => {
  const said = await cli.json(`message cancel --account ${accountId} --message ${ids[0]} --message ${ids[2]}`)
  expect(said).toEqual({
    ok: true,
    messages: [ids[0], ids[2]].map((id) => ({ id, result: 'canceled', status: 'canceled' })),
  })
  expect(await readMessages(cli.dataFolder)).toMatchObject({
    statuses: ['canceled', 'queued', 'canceled'],
    codes: ['canceled_by_operator', null, 'canceled_by_operator'],
    costs: ['released', 'held', 'released'],
  })
  expect((await cli.run('doctor')).code).toBe(0)
})

test('what is canceled already, or of nobody, is named, changes nothing, and ends with 1', async () => {
  await cli.run(`message cancel --account ${accountId} --message ${ids[0]}`)
  const { code, stdout } = await cli.run(
    `message cancel --account ${accountId} --message ${ids[0]} --message msg_nobody --json`,
  )
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    messages: [
      { id: ids[0], result: 'too_late', status: 'canceled' },
      { id: 'msg_nobody', result: 'not_found', status: null },
    ],
  })
  expect((await readMessages(cli.dataFolder)).statuses).toEqual(['canceled', 'queued', 'queued'])
})

test('it names at least one message, of an account that there is', async () => {
  expect((await cli.run(`message cancel --account ${accountId}`)).code).toBe(2)
  expect((await cli.run(`message cancel --account acc_nobody --message ${ids[0]}`)).code).not.toBe(0)
})
