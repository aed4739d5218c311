import { rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { previousSecretFile } from '../../src/instance-secret.ts'
import { createLog } from '../../src/log.ts'
import { openFolder } from '../open-test-storage.ts'
import { databaseSettings } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'

const former = 'the secret that this database was made with'
const other = 'a secret of another machine, as long as it must be'
const link =
  'device add smpp --shared --name Carrier --host 127.0.0.1 --port 1 --system-id me --password-stdin'

let cli: Cli
beforeEach(async () => {
  cli = await openCli({ ONESIXTY_SECRET: former })
  await startWith(former)
})
afterEach(() => cli.close())

/** A start of a server, and its stop. */
async function startWith(secret: string): Promise<void> {
  const settings = { ...databaseSettings(cli.dataFolder), ONESIXTY_PORT: '0', ONESIXTY_SECRET: secret }
  const app = await createApp(readConfig(settings), createLog('silent', { write: () => undefined }))
  await app.stop()
}

/** The same command line with the other secret. */
const withOther = (): Promise<Cli> => openCli({ ...databaseSettings(cli.dataFolder), ONESIXTY_SECRET: other })

const epoch = async (): Promise<number | undefined> => {
  const storage = await openFolder(cli.dataFolder, 0)
  const row = await storage.read.selectFrom('instance').select('epoch').executeTakeFirst()
  await storage.close()
  return row?.epoch
}

test('a server does not start with another secret than its database was made with, and the refused start leaves no trace', async () => {
  const before = await epoch()
  const refused = startWith(other)
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow('onesixty secret accept')
  await startWith(former)
  expect(await epoch()).toBe((before ?? 0) + 1)
})

test('a secret that was changed with the former one beside it is followed, and is the one from then on', async () => {
  await writeFile(previousSecretFile(cli.dataFolder), `${former}\n`, { mode: 0o600 })
  await startWith(other)
  await rm(previousSecretFile(cli.dataFolder))
  await startWith(other)
  await expect(startWith(former)).rejects.toThrow('another secret')
})

test('a command seals nothing with another secret, the doctor names it, and who has lost the former one goes on', async () => {
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
  const { stdout } = await beside.run('doctor --json')
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] }
  expect(checks.filter(({ ok }) => !ok)).toMatchObject([
    { name: 'secret_fits', remedy: expect.stringContaining('secret accept') },
  ])

  expect(await beside.json('secret accept')).toEqual({ accepted: true })
  await beside.json(link, 'password\n')
  await startWith(other)
  await expect(startWith(former)).rejects.toThrow(ConfigError)
  await beside.close()
})
