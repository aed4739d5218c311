import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { eventually } from '../eventually.ts'
import { startServerProcess } from '../harness.ts'
import { isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { readMessages, serveOnce } from './waiting-messages.ts'

let cli: Cli
let accountId: string
/** A backup was made while three messages waited; it has been restored, and the server was started once since. */
beforeEach(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  await serveOnce(cli.dataFolder, accountId, 3)
  await restore()
  expect(await serveOnce(cli.dataFolder, accountId, 1)).toMatchObject({ restored: true, heldMessages: 3 })
  expect((await readMessages(cli.dataFolder)).holds).toEqual([1, 1, 1, 0])
})
afterEach(() => cli.close())

/** What a dump that is read into another server says there, is that it lies on another history. */
async function restore(): Promise<void> {
  if (!isPostgres) {
    await cli.json(`backup ${cli.dataFolder}/copy`)
    await cli.json(`restore ${cli.dataFolder}/copy`)
    return
  }
  const { db, close } = openDatabase(cli.dataFolder)
  await db.updateTable('instance').set({ cluster: '7000000000000000000/00000001' }).execute()
  await close()
}

const balance = async () => {
  const { accounts } = await cli.json<{ accounts: { balance: { live: object } }[] }>('account list')
  return accounts[0]?.balance.live
}

test('release lets them go', async () => {
  expect(await cli.json('restore release')).toEqual({ action: 'release', messages: 3 })
  expect(await readMessages(cli.dataFolder)).toMatchObject({
    holds: [0, 0, 0, 0],
    statuses: ['queued', 'queued', 'queued', 'queued'],
  })
  expect(await balance()).toMatchObject({ available: 6, reserved: 4 })
  expect((await cli.run('doctor')).code).toBe(0)
})

test('every start and the doctor say that they are held, until somebody has decided', async () => {
  const heard: boolean[] = []
  const said: unknown[] = []
  for (const isDecided of [false, true]) {
    if (isDecided) await cli.json('restore release')
    const server = await startServerProcess({ dataFolder: cli.dataFolder, isFirst: false })
    const output = await eventually(server.output, (text) => {
      expect(text).toContain('onesixty is ready')
      if (!isDecided)
        expect(text).toContain('this database was restored: scheduled and queued messages are held')
    })
    await server.stop()
    heard.push(`${output}${server.output()}`.includes('scheduled and queued messages are held'))
    const { checks } = await cli.json<{ checks: { name: string }[] }>('doctor')
    said.push(checks.find(({ name }) => name === 'restore_holds'))
  }
  expect(heard).toEqual([true, false])
  expect(said).toEqual([
    expect.objectContaining({ ok: true, remedy: expect.stringContaining('Decide') }),
    undefined,
  ])
}, 60_000)

test('cancel ends them without a charge, and leaves what came since', async () => {
  expect(await cli.json('restore cancel')).toEqual({ action: 'cancel', messages: 3, is_more_held: false })
  expect(await readMessages(cli.dataFolder)).toEqual({
    statuses: ['canceled', 'canceled', 'canceled', 'queued'],
    codes: ['canceled_by_operator', 'canceled_by_operator', 'canceled_by_operator', null],
    costs: ['released', 'released', 'released', 'held'],
    holds: [0],
  })
  expect(await balance()).toMatchObject({ available: 9, reserved: 1 })
  expect(await cli.json('restore cancel')).toMatchObject({ messages: 0 })
  expect((await cli.run('doctor')).code).toBe(0)
})

test('one that a server was handing over when it was held is not ended under its hands, and that is said', async () => {
  const { db, close } = openDatabase(cli.dataFolder)
  const waiting = await db
    .selectFrom('queue')
    .selectAll()
    .where('restore_hold', '=', 1)
    .executeTakeFirstOrThrow()
  const { account_id, mode, message_id, route_key, due_at, refusals, restore_hold } = waiting
  const attempt = { number: 1, id: 'att_of_a_server', device_id: 'dev_a', fence: 1, state: 'handing_over', started_at: due_at } as const // prettier-ignore
  await db.deleteFrom('queue').where('message_id', '=', message_id).execute()
  await db.insertInto('attempts').values({ ...attempt, account_id, mode, message_id, route_key, due_at, refusals, restore_hold }).execute() // prettier-ignore
  const { stdout } = await cli.run('restore cancel')
  expect(stdout).toContain('2 messages are canceled')
  expect(stdout).toContain('run the command again in a minute')
  expect((await readMessages(cli.dataFolder)).statuses.filter((status) => status === 'queued')).toHaveLength(
    2,
  )
  await db.deleteFrom('attempts').where('id', '=', attempt.id).execute()
  await db.insertInto('queue').values(waiting).execute()
  await close()
  expect(await cli.json('restore cancel')).toEqual({ action: 'cancel', messages: 1, is_more_held: false })
})

test('settle calls them unconfirmed, without a charge', async () => {
  expect(await cli.json('restore settle')).toEqual({ action: 'settle', messages: 3, is_more_held: false })
  expect((await readMessages(cli.dataFolder)).statuses).toEqual([
    'unconfirmed',
    'unconfirmed',
    'unconfirmed',
    'queued',
  ])
  expect(await balance()).toMatchObject({ available: 9, reserved: 1, used: 0 })
  expect((await cli.run('doctor')).code).toBe(0)
})

test('closing an account cancels all that waits for it', async () => {
  expect(await cli.json(`account close --account ${accountId}`)).toMatchObject({
    changed: true,
    canceled_messages: 4,
  })
  expect(await readMessages(cli.dataFolder)).toMatchObject({
    statuses: ['canceled', 'canceled', 'canceled', 'canceled'],
    codes: ['account_closed', 'account_closed', 'account_closed', 'account_closed'],
    holds: [],
  })
  expect(await balance()).toMatchObject({ available: 10, reserved: 0 })
  expect((await cli.run('doctor')).code).toBe(0)
})
