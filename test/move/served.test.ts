import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type App, createApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/process/log.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { openStorage } from '../../src/storage/open/open-storage.ts'
import { createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { type MovingHouse, openMovingHouse } from './moving-house.ts'

const unitsModule = new URL('../../src/messages/units.ts', import.meta.url)

let house: MovingHouse
beforeEach(async () => {
  house = await openMovingHouse()
})
afterEach(() => house.close())

interface Served {
  app: App
  url: string
}

async function serve(env: Record<string, string> = {}): Promise<Served> {
  const config = readConfig({ ONESIXTY_DATA: house.dataFolder, ONESIXTY_PORT: '0', ...env })
  const app = await createApp(config, createLog('silent', { write: () => undefined }))
  const { url } = await app.start()
  return { app, url }
}

const json = async <T>(line: string, env?: Record<string, string>): Promise<T> =>
  JSON.parse((await house.run(`${line} --json`, env)).stdout) as T

test('what waited when the house moved goes on the other side, once and unasked, and the epochs go on', async () => {
  const made = await json<{ account_id: string; live_key: string }>(
    'account create --name Bob --email bob@example.org',
  )
  const { id: device } = await json<{ id: string }>(
    `device add simulator --account ${made.account_id} --name Sim`,
  )
  await house.run(`device set ${device} --drain`)
  const before = await serve()
  const client = createApiClient(before.url)
  const sent = await Promise.all(
    [1, 2, 3].map((n) => client.send(made.live_key, { to: `+491511234567${n}`, text: `waits ${n}` })),
  )
  expect(sent.map(({ status }) => status)).toEqual([202, 202, 202])
  client.close()
  await before.app.stop()

  expect((await house.move()).code).toBe(0)
  const secret = (await readFile(join(house.dataFolder, 'secret'), 'utf8')).trim()
  const settings = { DATABASE_URL: house.fullUrl, ONESIXTY_SECRET: secret }
  const after = await serve(settings)
  expect(after.app.epoch).toMatchObject({
    epoch: before.app.epoch.epoch + 1,
    restored: false,
    heldMessages: 0,
  })
  const there = createApiClient(after.url)
  expect((await there.history(made.live_key, 'status=queued')).length).toBe(3)
  await house.run(`device set ${device} --enable`, settings)
  await eventually(
    () => there.history(made.live_key, 'status=delivered'),
    (delivered) => expect(delivered.length).toBe(3),
    15_000,
  )
  expect(await there.balance(made.live_key)).toMatchObject({ reserved: 0, used: 3 })
  expect((await house.target.query('select count(*) as attempts from attempts')).rows).toEqual([
    { attempts: 3 },
  ])
  there.close()
  await after.app.stop()
}, 60_000)

test('a database that was put back from a backup and not started since holds what waits on the other side too', async () => {
  const before = await serve()
  await before.app.stop()
  expect(await readFile(epochFile(house.dataFolder), 'utf8')).toMatch(/^1\n\d+\n\d{15}\n$/)
  await house.run(`backup ${join(house.dataFolder, 'copy.db')}`)
  await house.run(`restore ${join(house.dataFolder, 'copy.db')}`)
  expect(await json('move --to ' + house.url)).toMatchObject({ held_at_first_start: true })
  const secret = (await readFile(join(house.dataFolder, 'secret'), 'utf8')).trim()
  const after = await serve({ DATABASE_URL: house.fullUrl, ONESIXTY_SECRET: secret })
  expect(after.app.epoch).toMatchObject({ epoch: 2, restored: true })
  await after.app.stop()
})

test('a server that had opened the target before the move began does not start on it', async () => {
  const settings = { ONESIXTY_DATA: house.dataFolder, DATABASE_URL: house.fullUrl }
  const opened = await openStorage(readConfig(settings), { unitsModule, maxMergedWeight: 1 }, Date.now())
  await house.target.query("insert into moves values ('mov_a', 'in', 'ada:/srv', 'mov_b', 1, null)")
  const start = advanceEpoch(opened, house.dataFolder, Date.now())
  await expect(start).rejects.toThrow('The move to this database from ada:/srv is incomplete.')
  await opened.close()
  expect((await house.target.query('select * from instance')).rows).toEqual([])
})

test('and a move does not begin on a database that a server has just taken', async () => {
  const held = new pg.Client({ connectionString: house.fullUrl })
  await held.connect()
  // The server is in the middle of its first transaction: nobody sees its row yet.
  await house.migrateTarget()
  await held.query('begin')
  await held.query('select pg_advisory_xact_lock(160160160)')
  await held.query('insert into instance (id, epoch, directory_version, created_at) values (1, 1, 1, 1)')
  const move = house.move(' --json')
  await eventually(
    () =>
      house.target.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 160160160",
      ),
    ({ rows }) => expect(rows.length).toBeGreaterThan(0),
    15_000,
  )
  await held.query('commit')
  await held.end()
  expect((await move).stderr).toContain('A server was just started on this database')
  expect((await house.target.query('select epoch from instance')).rows).toEqual([{ epoch: 1 }])
})
