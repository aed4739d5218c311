import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

test('a canceled message that own devices would have carried for nothing says that the balance is unchanged', async () => {
  await serveOnce(cli.dataFolder, accountId, 1, { paidBy: 'own_device' })
  const { db, close } = openDatabase(cli.dataFolder)
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('paid_by', '=', 'own_device')
    .executeTakeFirst()
  await close()
  const { stdout } = await cli.run(
    `message cancel --account ${accountId} --message ${ids[0]} --message ${row?.id}`,
  )
  expect(stdout.trimEnd().split('\n')).toEqual([
    `${ids[0]}  canceled: nothing was sent, and its held SMS are released`,
    `${row?.id}  canceled: nothing was sent, and it cost nothing: the balance is unchanged`,
  ])
})

test('the last own device that is disabled or removed counts what waits for it, and says what becomes of it', async () => {
  await serveOnce(cli.dataFolder, accountId, 2, { paidBy: 'own_device' })
  const add = (name: string) =>
    cli.json<{ id: string }>(
      `device add smpp --account ${accountId} --name ${name} --host 127.0.0.1 --port 2775 --system-id esme --password-stdin`,
      'secret',
    )
  const [first, last] = [await add('First'), await add('Last')]
  expect(await cli.json(`device set ${first.id} --disable`)).toMatchObject({ messages_stranded: 0 })
  const paused = (await cli.run(`device set ${last.id} --disable`)).stdout
  expect(paused).toContain('2 messages wait for it: no own device that is enabled can send them')
  expect(paused).toMatch(
    /Enable it, and they are sent; otherwise they expire with the code no_own_device, the last at 20\d\d-/,
  )
  expect(await cli.json(`device set ${last.id} --enable`)).toMatchObject({ messages_stranded: 0 })
  expect(await cli.json(`device remove ${first.id}`)).toMatchObject({ changed: true, messages_stranded: 0 })
  const { stdout } = await cli.run(`device remove ${last.id}`)
  expect(stdout).toContain(`${last.id} is now retired.`)
  expect(stdout).toContain('2 messages wait for an own device: no own device that is enabled can send them')
  expect(stdout).toMatch(/they expire with the code no_own_device, the last at 20\d\d-/)
  expect(await cli.json(`device remove ${last.id}`)).toMatchObject({ changed: false, messages_stranded: 2 })
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

describe('scheduled messages', () => {
  const dayMs = 86_400_000
  let scheduled: string[]
  beforeEach(async () => {
    await serveOnce(cli.dataFolder, accountId, 2, { sendAt: Date.now() + dayMs })
    const { db, close } = openDatabase(cli.dataFolder)
    const rows = await db.selectFrom('messages').select('id').where('status', '=', 'scheduled').execute()
    scheduled = rows.map(({ id }) => id)
    await close()
  })

  test('are given another time by name; what waits for a device already is not, and ends with 1', async () => {
    const at = new Date(Date.now() + 2 * dayMs).toISOString()
    const moved = await cli.run(
      `message move --account ${accountId} --message ${scheduled[0]} --message ${ids[0]} --at ${at} --json`,
    )
    expect(moved.code).toBe(1)
    expect(JSON.parse(moved.stdout)).toEqual({
      ok: false,
      messages: [
        { id: scheduled[0], result: 'moved', status: 'scheduled', send_at: at },
        { id: ids[0], result: 'too_late', status: 'queued', send_at: null },
      ],
    })
    expect((await cli.run('doctor')).code).toBe(0)
  })

  test('are canceled like any other that waits', async () => {
    await cli.json(`message cancel --account ${accountId} --message ${scheduled[1]}`)
    expect((await readMessages(cli.dataFolder)).statuses).toEqual([
      'queued',
      'queued',
      'queued',
      'scheduled',
      'canceled',
    ])
    expect((await cli.run('doctor')).code).toBe(0)
  })

  test('a time without an offset, or beyond 30 days, is refused', async () => {
    const move = `message move --account ${accountId} --message ${scheduled[0]} --at`
    expect((await cli.run(`${move} 2026-12-01T08:00:00`)).code).toBe(2)
    expect((await cli.run(`${move} ${new Date(Date.now() + 31 * dayMs).toISOString()}`)).code).toBe(2)
  })
})

test('a command whose clock is behind writes nothing before what was read already', async () => {
  const { db, close } = openDatabase(cli.dataFolder)
  const readToMs = Date.now() + 60_000
  await db
    .updateTable('change_lanes')
    .set({ last_change: readToMs * 1_000 })
    .execute()
  await close()
  await cli.json(`message cancel --account ${accountId} --message ${ids[0]}`)
  const opened = openDatabase(cli.dataFolder)
  const { updated_at } = await opened.db
    .selectFrom('messages')
    .select('updated_at')
    .where('id', '=', ids[0]!)
    .executeTakeFirstOrThrow()
  const { number } = await opened.db
    .selectFrom('message_changes')
    .select('number')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  await opened.close()
  expect({ updated_at, number }).toEqual({ updated_at: readToMs, number: readToMs * 1_000 + 1 })
})
