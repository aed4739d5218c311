import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../open-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { readMessages, serveOnce } from './waiting-messages.ts'

let cli: Cli
let account: string
beforeEach(async () => {
  cli = await openCli()
  account = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
})
afterEach(() => cli.close())

const [one, two] = ['+4915112345678', '+4915112345679'] as const
const listed = async (more = '') =>
  (await cli.json<{ opt_outs: { number: string }[] }>(`opt-out list --account ${account}${more}`)).opt_outs

test('a number is added, listed and removed, and the audit log says so', async () => {
  const added = await cli.json(`opt-out add --account ${account} --number ${one} --number ${two}`)
  expect(added).toEqual({ ok: true, added: 2, known: 0, canceled_messages: 0 })
  expect(await cli.json(`opt-out add --account ${account} --number ${one}`)).toMatchObject({
    added: 0,
    known: 1,
  })
  expect(await listed()).toMatchObject([
    { number: two, erased: false, origin: 'command', ends_at: null },
    { number: one, erased: false, origin: 'command', ends_at: null },
  ])
  expect(await listed(` --number ${one}`)).toMatchObject([{ number: one }])
  expect(await listed(' --mode test')).toEqual([])
  expect(await cli.json(`opt-out remove --account ${account} --number ${one}`)).toEqual({
    ok: true,
    numbers: [{ number: one, removed: true }],
  })
  const again = await cli.run(`opt-out remove --account ${account} --number ${one} --json`)
  expect([again.code, JSON.parse(again.stdout)]).toEqual([
    1,
    { ok: false, numbers: [{ number: one, removed: false }] },
  ])
  expect(await listed()).toMatchObject([{ number: two }])
  const { db, close } = openDatabase(cli.dataFolder)
  const actions = await db
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .where('action', 'like', 'opt_out%')
    .orderBy('id')
    .execute()
  await close()
  expect(actions.map(({ action }) => action)).toEqual(['opt_outs.added', 'opt_out.removed'])
})

test('what waits for a number that is added is canceled', async () => {
  await serveOnce(cli.dataFolder, account, 2)
  const { db, close } = openDatabase(cli.dataFolder)
  const { recipient } = await db.selectFrom('messages').select('recipient').executeTakeFirstOrThrow()
  await close()
  const { canceled_messages: canceled } = await cli.json<{ canceled_messages: number }>(
    `opt-out add --account ${account} --number ${recipient}`,
  )
  expect(canceled).toBeGreaterThan(0)
  const { codes } = await readMessages(cli.dataFolder)
  expect(codes.filter((code) => code === 'recipient_opted_out')).toHaveLength(canceled)
  expect((await cli.run('doctor')).code).toBe(0)
})

test('a list is imported: its numbers are stored, lines without one are named, and it ends with 1', async () => {
  const file = join(cli.dataFolder, 'list.csv')
  const rows = Array.from({ length: 1_200 }, (_, i) => `Name ${i};+49151${String(i).padStart(8, '0')}`)
  await writeFile(file, ['name;number', ...rows, 'Nobody;12', ...rows.slice(0, 5)].join('\n'))
  const { code, stdout } = await cli.run(`opt-out import --account ${account} --file ${file} --json`)
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { ok: false, added: 1_200, known: 0, faults: [{ line: 1_202 }] },
  ])
  expect(await listed()).toHaveLength(1_200)
  expect(new Set((await listed()).map(({ number }) => number)).size).toBe(1_200)
})

test('a number that was erased is found by itself, shown as erased, and taken away by itself', async () => {
  await cli.run(`opt-out add --account ${account} --number ${one}`)
  await cli.run(`message erase --number ${one}`)
  expect(await listed()).toMatchObject([{ number: null, erased: true }])
  expect(await listed(` --number ${one}`)).toMatchObject([{ number: null, erased: true }])
  expect(await listed(` --number ${two}`)).toEqual([])
  expect(await cli.json(`opt-out remove --account ${account} --number ${one}`)).toMatchObject({ ok: true })
  expect(await listed()).toEqual([])
})

test('a number in another spelling, and an account that there is not, are refused', async () => {
  expect((await cli.run(`opt-out add --account ${account} --number 015112345678`)).code).toBe(2)
  expect((await cli.run(`opt-out add --account ${account}`)).code).toBe(2)
  expect((await cli.run(`opt-out add --account acc_nobody --number ${one}`)).code).not.toBe(0)
  expect(await listed()).toEqual([])
})
