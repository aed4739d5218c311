import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fillMessages } from '../../bench/fill-messages.ts'
import { eventually } from '../eventually.ts'
import { program } from '../started-program.ts'
import { type MovingHouse, openMovingHouse } from './moving-house.ts'

const messages = 2_000
const pageRows = 40

let house: MovingHouse
beforeEach(async () => {
  house = await openMovingHouse()
  const [account] = await accounts()
  await house.run(`account grant --account ${account!.id} --sms 100000 --note N`)
  house.withSource((database) =>
    fillMessages(database, { accountId: account!.id, deviceId: 'dev_bench', messages, nowMs: Date.now() }),
  )
})
afterEach(() => house.close())

const accounts = async (): Promise<{ id: string }[]> =>
  (JSON.parse((await house.run('account list --json')).stdout) as { accounts: { id: string }[] }).accounts

/** As the target says; -1 before it says anything. */
async function copiedRows(): Promise<{ copied: number; left: number }> {
  const look =
    'select coalesce(sum(copied_rows), 0)::int as copied, (count(*) filter (where is_done = 0))::int as left from move_progress having count(*) > 0'
  const { rows } = await house.target
    .query<{ copied: number; left: number }>(look)
    .catch(() => ({ rows: [] }))
  return rows[0] ?? { copied: -1, left: -1 }
}

const until = (when: (seen: { copied: number; left: number }) => void) => eventually(copiedRows, when, 60_000)

/** Moves in a process of its own, and kills it as soon as `reached` settles. */
async function moveAndKill(reached: () => Promise<unknown>): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', ONESIXTY_DATA: house.dataFolder, PGPASSWORD: 'postgres' }
  const [command = '', ...args] = program.command()
  const move = [...args, 'move', '--to', house.url, '--page-rows', String(pageRows)]
  const child = spawn(command, move, { stdio: 'ignore', env })
  const exited = once(child, 'exit')
  await reached().finally(() => child.kill('SIGKILL'))
  expect(await exited).toEqual([null, 'SIGKILL'])
}

const killBeyond = (rows: number) =>
  moveAndKill(() => until(({ copied }) => expect(copied).toBeGreaterThan(rows)))

/** Kills it when every page has arrived and nothing is compared yet: it waits for a table that somebody else has locked. */
async function killBeforeComparing(): Promise<void> {
  await moveAndKill(async () => {
    await until(({ copied }) => expect(copied).toBeGreaterThan(0))
    await house.target.query('begin')
    await house.target.query('lock table opt_outs in access exclusive mode')
    await until(({ left }) => expect(left).toBe(0))
  })
  await house.target.query('rollback')
}

/** What the target says of itself is what it holds: no page is there without its place, and no place without its page. */
async function expectWholePages(): Promise<void> {
  // Of one instant: a page whose COMMIT had left before the kill may still arrive.
  await house.target.query('begin isolation level repeatable read')
  const { rows } = await house.target.query<{ name: string; copied: number }>(
    'select table_name as name, copied_rows as copied from move_progress',
  )
  for (const { name, copied } of rows) {
    const counted = await house.target.query(`select count(*) as rows from "${name}"`)
    expect([name, counted.rows]).toEqual([name, [{ rows: copied }]])
  }
  await house.target.query('commit')
}

const everythingIsThere = async (): Promise<void> => {
  for (const shape of await house.shapes()) {
    const { source, target } = await house.rowsOf(shape)
    expect(shape.name === 'messages' ? source.length : messages).toBe(messages)
    expect([shape.name, target]).toEqual([shape.name, source])
  }
}

/** By which transaction each row came. */
const origins = async (): Promise<unknown[]> =>
  (await house.target.query('select xmin::text as origin, id from messages order by id limit 100')).rows

const served = () => ({
  DATABASE_URL: house.fullUrl,
  ONESIXTY_SECRET: 'a secret of the tests that nobody else has',
})

test('killed at any time it goes on where it was, and nothing is lost or comes twice', async () => {
  await killBeyond(100)
  await expectWholePages()
  await killBeyond(messages * 3)
  await expectWholePages()
  const before = await origins()
  expect((await house.run('account list', served())).stderr).toContain(
    'is incomplete. Run onesixty move there again',
  )
  await killBeforeComparing()

  const { code, stdout, stderr } = await house.move(' --json')
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ was_done: false, broken_sums: [], held_at_first_start: false })
  await everythingIsThere()
  expect(await origins()).toEqual(before)
  expect((await house.run('account list', served())).code).toBe(0)
}, 120_000)

test('killed between the mark of the source and the opening of the target neither is served, and the next run opens it', async () => {
  await house.move()
  await house.target.query('update moves set finished_at = null')
  expect((await house.run('account list')).stderr).toContain('was moved to')
  expect((await house.run('account list', served())).stderr).toContain('is incomplete')
  const { code, stdout } = await house.move(' --json')
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ was_done: true })])
  expect((await house.run('account list', served())).code).toBe(0)
})

test('a page that was left out is found, and the embedded database goes on being the one', async () => {
  await killBeforeComparing()
  const left = await house.target.query(
    'delete from attempts where ctid in (select ctid from attempts limit 40)',
  )
  expect(left.rowCount).toBe(40)
  const { code, stderr } = await house.move(' --json')
  expect([code, /"code":"(\w+)"/.exec(stderr)?.[1]]).toEqual([1, 'mismatch'])
  expect(stderr).toContain(`attempts.rows ${messages - 4} / ${messages - 44}`)
  expect(stderr).toContain('Nothing is marked as moved')
  expect((await house.run('account list', served())).stderr).toContain('is incomplete')
  expect((await accounts()).length).toBeGreaterThan(1)
}, 60_000)

test('a sum that is not the same is found', async () => {
  await killBeforeComparing()
  await house.target.query("update wallets set granted = granted + 1 where mode = 'test' and granted = 1000")
  const { stderr } = await house.move(' --json')
  expect(stderr).toMatch(/wallets\.granted \d+ \/ \d+; granted \d+ \/ \d+/)
}, 60_000)

test('what changed since the kill arrives too: then everything is copied again', async () => {
  await killBeyond(messages)
  const [account] = await accounts()
  expect((await house.run(`account grant --account ${account!.id} --sms 7 --note Later`)).code).toBe(0)
  const { code, stdout } = await house.move()
  expect([code, stdout]).toEqual([0, expect.stringContaining('the database was used since the last attempt')])
  await everythingIsThere()
  expect((await house.target.query("select sms from ledger_entries where note = 'Later'")).rows).toEqual([
    { sms: 7 },
  ])
}, 60_000)

test('nobody changes the embedded database while it moves', async () => {
  const tryToWrite = (): string => {
    try {
      house.withSource((database) => database.exec('pragma busy_timeout = 0; begin immediate; rollback'))
      return 'nobody is in the way'
    } catch (error) {
      return (error as Error).message
    }
  }
  let seen = ''
  await moveAndKill(() =>
    until(({ copied }) => {
      seen = tryToWrite()
      expect(copied).toBeGreaterThan(100)
    }),
  )
  expect([seen, tryToWrite()]).toEqual(['database is locked', 'nobody is in the way'])
}, 60_000)
