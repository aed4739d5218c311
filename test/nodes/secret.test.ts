import { expect, onTestFinished, test } from 'vitest'
import { openCli } from '../cli/run-cli.ts'
import { openCluster } from './cluster.ts'

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
