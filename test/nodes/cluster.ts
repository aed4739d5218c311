import { mkdtemp, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type App, createApp } from '../../src/app/app.ts'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { createLog } from '../../src/process/log.ts'
import { openAccount, type OpenedAccount } from '../../src/app/open-account.ts'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { testTimes } from '../quick-times.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'

export interface ClusterNode {
  app: App
  url: string
  client: ApiClient
  dataFolder: string
  config: Config
  /** As an operator does. Twice is harmless. */
  stop(): Promise<void>
}

/** Several servers of one database, in this process, each with a data folder of its own and times of tests. All stop when the test ends. */
export interface Cluster {
  /** The settings of another one. */
  settings(): Promise<Record<string, string>>
  /** `clock` is that of its machine. */
  start(env?: Record<string, string>, clock?: Clock): Promise<ClusterNode>
  openAccount(name: string): Promise<OpenedAccount>
}

export async function openCluster(): Promise<Cluster> {
  const home = await makeTestFolder('onesixty-nodes-')
  onTestFinished(() => removeTestFolder(home))
  const nodes: ClusterNode[] = []
  const settings = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'onesixty-node-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    return { ...databaseSettings(home), ONESIXTY_DATA: folder, ONESIXTY_PORT: '0' }
  }
  return {
    settings,
    async start(env = {}, clock = systemClock) {
      const config = readConfig({ ...(await settings()), ...env })
      const app = await createApp(config, createLog('silent', { write: () => undefined }), clock, {
        times: testTimes,
      })
      let stopping: Promise<void> | null = null
      const stop = (): Promise<void> => (stopping ??= app.stop())
      onTestFinished(stop)
      const { url } = await app.start()
      const client = createApiClient(url)
      onTestFinished(() => client.close())
      const node = { app, url, client, dataFolder: config.dataFolder, config, stop }
      nodes.push(node)
      return node
    },
    async openAccount(name) {
      const [{ app, config }] = nodes as [ClusterNode]
      const deps = { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now(), randomBytes, config }
      const account = { name, email: `${name.toLowerCase()}@example.org`, actor: 'test' }
      return app.storage.writer.write((tx) => openAccount(tx, deps, account))
    },
  }
}
