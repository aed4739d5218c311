import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { previousSecretFile } from '../../src/process/instance-secret.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { openCli } from '../cli/run-cli.ts'
import { password } from '../console/identity-house.ts'
import { newVisitor, totp } from '../console/visitor.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import { openDatabase } from '../open-database.ts'
import { databaseSettings, removeTestFolder } from '../test-database.ts'
import { type ClusterNode, openCluster } from './cluster.ts'

test('no secret is given up while a node runs, be it on another machine: it would go on sealing with it', async () => {
  const cluster = await openCluster()
  const node = await cluster.start()
  const secret = { ONESIXTY_SECRET: 'a secret that no node of this database has' }
  const cli = await openCli({ ...(await cluster.settings()), ...secret })
  onTestFinished(() => cli.close())
  const refused = await cli.run('secret accept --json')
  expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([1, { error: { code: 'served' } }])
  await node.stop()
  expect(await cli.json('secret accept')).toEqual({ accepted: true, forgotten: 1 })
})

test('a server that stood still while its secret was given up ends as soon as it goes on, and is not started again', async () => {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  const server = await startServerProcess({ dataFolder })
  onTestFinished(() => server.kill('SIGKILL').then(() => undefined))
  const beside = await mkdtemp(join(tmpdir(), 'onesixty-node-'))
  onTestFinished(() => rm(beside, { recursive: true }))
  const other = 'a secret of another machine, as long as it must be'
  const settings = { ...databaseSettings(dataFolder), ONESIXTY_DATA: beside, ONESIXTY_SECRET: other }
  const cli = await openCli(settings)
  onTestFinished(() => cli.close())
  const { db, close } = openDatabase(dataFolder)
  onTestFinished(close)
  process.kill(server.pid, 'SIGSTOP')
  await db
    .updateTable('nodes')
    .set({ beat_at: sql`beat_at - ${usualTimes.silenceMs}` })
    .execute()
  expect(await cli.json('secret accept')).toEqual({ accepted: true, forgotten: 1 })
  process.kill(server.pid, 'SIGCONT')
  expect(await server.ended).toEqual({ code: 78, signal: null })
  expect(server.output()).toContain('the secret of this node was removed')
})

test('while the secret is changed node by node, each opens what another has sealed', async () => {
  const cluster = await openCluster()
  const startWith = async (secret: string, beside: string): Promise<ClusterNode> => {
    const settings = await cluster.settings()
    await writeFile(previousSecretFile(readConfig(settings).dataFolder), `${beside}\n`, { mode: 0o600 })
    return cluster.start({ ...settings, ONESIXTY_SECRET: secret })
  }
  const [old, next] = [
    'the secret until the change, long enough',
    'the secret from the change on, long enough',
  ]
  const before = await startWith(old, next)
  const after = await startWith(next, old)
  for (const [here, there] of [
    [before, after],
    [after, before],
  ] as const) {
    const email = `nia@${new URL(here.url).port}.example.org`
    const visitor = newVisitor(here.url)
    await visitor.change('sign-up/open', { name: 'Nia', email, password })
    const { secret } = (await visitor.change('second-factor/begin', { password })).body as { secret: string }
    await visitor.change('second-factor/confirm', { code: totp(secret) })
    const elsewhere = newVisitor(there.url)
    await elsewhere.change('session/sign-in', { email, password })
    const { body } = await elsewhere.change('session/give-code', { code: totp(secret, Date.now() + 30_000) })
    expect(body).toEqual({ state: 'signed-in' })
  }
})
