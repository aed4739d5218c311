import { rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type App, createApp } from '../../src/app/app.ts'
import type { CheckResult } from '../../src/cli/core/check-result.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { previousSecretFile } from '../../src/process/instance-secret.ts'
import { createLog } from '../../src/process/log.ts'
import { openDatabase } from '../open-database.ts'
import { openNear, openNearFolder } from '../open-near.ts'
import { databaseSettings } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'

const former = 'the secret that this database was made with'
const other = 'a secret of another machine, as long as it must be'
const third = 'a third secret, to which the second was changed'
const link =
  'device add smpp --shared --name Carrier --host 127.0.0.1 --port 1 --system-id me --password-stdin'

let cli: Cli
beforeEach(async () => {
  cli = await openCli({ ONESIXTY_SECRET: former })
})
afterEach(() => cli.close())

function appWith(secret: string): Promise<App> {
  const settings = { ...databaseSettings(cli.dataFolder), ONESIXTY_PORT: '0', ONESIXTY_SECRET: secret }
  const log = createLog('silent', { write: () => undefined })
  return createApp(readConfig(settings), log, systemClock, { open: openNear })
}

/** A start of a server with this secret, the former ones beside it, and its stop. */
async function startWith(secret: string, ...before: readonly string[]): Promise<void> {
  await keepBeside(...before)
  const app = await appWith(secret)
  await app.stop()
}

async function keepBeside(...secrets: readonly string[]): Promise<void> {
  const file = previousSecretFile(cli.dataFolder)
  if (secrets.length === 0) await rm(file, { force: true })
  else await writeFile(file, secrets.map((each) => `${each}\n`).join(''), { mode: 0o600 })
}

/** The same command line with another secret. */
const withOther = (secret = other): Promise<Cli> =>
  openCli({ ...databaseSettings(cli.dataFolder), ONESIXTY_SECRET: secret })

/** What the doctor says by itself of the secret. */
async function examine(beside: Cli): Promise<CheckResult[]> {
  const { stdout } = await beside.run('doctor --json')
  const { checks } = JSON.parse(stdout) as { checks: CheckResult[] }
  return checks.filter(({ name }) => name.startsWith('secret'))
}

const epoch = async (): Promise<number | undefined> => {
  const storage = await openNearFolder(cli.dataFolder, 0)
  const row = await storage.read.selectFrom('instance').select('epoch').executeTakeFirst()
  await storage.close()
  return row?.epoch
}

describe('a database that a server was started on', () => {
  beforeEach(() => startWith(former))

  test('is not served with another secret than it was made with, and the refused start leaves no trace', async () => {
    const before = await epoch()
    const refused = startWith(other)
    await expect(refused).rejects.toThrow(ConfigError)
    await expect(refused).rejects.toThrow('onesixty secret accept')
    await startWith(former)
    expect(await epoch()).toBe((before ?? 0) + 1)
  })

  test('follows its secret through every change, and misses each of the former ones from then on', async () => {
    await startWith(other, former)
    await expect(startWith(other)).rejects.toThrow(
      '1 of the secrets that this database was used with is missing',
    )
    await startWith(third, other, former)
    await startWith(third, former, other)
    for (const [secret, ...before] of [[third, other], [third, former], [third], [other, former]] as const) {
      const refused = startWith(secret, ...before)
      await expect(refused).rejects.toThrow(ConfigError)
      await expect(refused).rejects.toThrow(`Add each to ${previousSecretFile(cli.dataFolder)}`)
    }
    await startWith(third, other, former)
  })

  test('misses a secret that stood beside its own at a start: it may have been in use before there were marks', async () => {
    await startWith(former, other)
    await expect(startWith(former)).rejects.toThrow(
      '1 of the secrets that this database was used with is missing',
    )
  })

  test('misses what it was marked with before it could remember more than one', async () => {
    const { db, close } = openDatabase(cli.dataFolder)
    await sql`update instance set secret_mark = (select mark from secret_marks)`.execute(db)
    await sql`drop table secret_marks`.execute(db)
    await sql`delete from schema_migrations where name = '0018_secret_marks.sql'`.execute(db)
    await close()
    await expect(startWith(other)).rejects.toThrow('another secret')
    await startWith(other, former)
    await expect(startWith(other)).rejects.toThrow(
      '1 of the secrets that this database was used with is missing',
    )
  })

  test('seals nothing by a command with another secret, the doctor names it, and who has lost the former one goes on', async () => {
    const beside = await withOther()
    const refused = await beside.run(`${link} --json`, 'password\n')
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([
      78,
      {
        error: {
          code: 'configuration',
          message: expect.stringContaining('another secret than the one in ONESIXTY_SECRET'),
        },
      },
    ])
    expect(await examine(beside)).toMatchObject([
      { name: 'secret', ok: true },
      { name: 'secret_fits', ok: false, remedy: expect.stringContaining('secret accept') },
    ])

    expect(await beside.json('secret accept')).toEqual({ accepted: true, forgotten: 1 })
    expect(await beside.json('secret accept')).toEqual({ accepted: true, forgotten: 0 })
    await beside.json(link, 'password\n')
    await startWith(other)
    await expect(startWith(former)).rejects.toThrow(ConfigError)
    await beside.close()
  })

  test('goes on without the one of its former secrets that is lost, and says what is lost by it', async () => {
    await startWith(other, former)
    await keepBeside(other)
    const beside = await withOther(third)
    expect(await examine(beside)).toMatchObject([
      {
        name: 'secret',
        ok: true,
        summary: expect.stringMatching(/by ONESIXTY_SECRET\. Former secrets in .*: 1\.$/),
      },
      {
        name: 'secret_fits',
        ok: false,
        summary: expect.stringContaining('Missing secrets of the database: 1'),
      },
    ])
    const { stdout } = await beside.run('secret accept')
    expect(stdout).toMatch(
      /^Removed 1 lost secret\..*Opt-outs of numbers that were erased with a lost secret no longer apply\.$/m,
    )
    await startWith(third, other)
    await expect(startWith(third)).rejects.toThrow(
      '1 of the secrets that this database was used with is missing',
    )
    await beside.close()
  })

  test('gives up no secret while a server runs, which would go on sealing with it', async () => {
    const app = await appWith(former)
    const beside = await withOther()
    const refused = await beside.run('secret accept --json')
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([1, { error: { code: 'served' } }])
    await app.stop()
    await startWith(former)
    expect(await beside.json('secret accept')).toEqual({ accepted: true, forgotten: 1 })
    await beside.close()
  })
})

describe('a database that no server was started on', () => {
  beforeEach(() => cli.json('account create --name Ada --email ada@example.org'))

  test('bears no mark, and the doctor says so rather than that the secret fits', async () => {
    expect(await examine(cli)).toMatchObject([
      { name: 'secret', ok: true },
      { name: 'secret_fits', ok: true, summary: expect.stringContaining('has no secret yet') },
    ])
    await startWith(former)
    expect(await examine(cli)).toMatchObject([
      { name: 'secret' },
      { name: 'secret_fits', summary: 'All secrets of the database are available.' },
    ])
  })

  test('is marked by the first command that seals', async () => {
    await cli.json(link, 'password\n')
    await expect(startWith(other)).rejects.toThrow('another secret')
    await startWith(former)
  })
})

test('the doctor reads what stands beside a secret that is set by ONESIXTY_SECRET', async () => {
  await cli.json('account create --name Ada --email ada@example.org')
  await writeFile(previousSecretFile(cli.dataFolder), `${other}\n`, { mode: 0o644 })
  expect(await examine(cli)).toMatchObject([
    { name: 'secret', ok: false, summary: expect.stringContaining('chmod 600') },
  ])
})
