import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { openPostgres, type ServedSettings } from '../../src/storage/postgres/postgres-database.ts'
import { FaultProxy } from '../peers/fault-proxy.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'

export interface Served {
  storage: Awaited<ReturnType<typeof openPostgres>>
  /** Between the storage and the server. */
  proxy: FaultProxy
  /** A session of somebody else in the same database, around the proxy. */
  beside: Client
  /** Around the proxy. */
  url: string
}

/** The storage of a database of its own, behind a proxy and with time-outs that a test can wait for. All of it ends with the test. */
export async function openServed(more: Partial<ServedSettings> = {}): Promise<Served> {
  const url = await makeDatabase()
  const beside = await openSession(url)
  return { ...(await openThroughProxy(url, more)), beside, url }
}

/** The same without a database of its own: that of `url`. */
export async function openThroughProxy(
  url: string,
  more: Partial<ServedSettings> = {},
): Promise<Pick<Served, 'storage' | 'proxy'>> {
  const { proxy, through } = await openProxy(url)
  const settings = { applicationName: 'served', readers: 2, connectTimeoutMs: 1_000, statementTimeoutMs: 500 }
  const storage = await openPostgres({ ...settings, ...more, url: through }, 0)
  onTestFinished(async () => {
    proxy.heal()
    await storage.close()
  })
  return { storage, proxy }
}

/** A proxy before the server of `url`, and the address through it. */
export async function openProxy(url: string): Promise<{ proxy: FaultProxy; through: string }> {
  const { hostname, port } = new URL(url)
  const proxy = new FaultProxy({ target: { host: hostname, port: Number(port) } })
  const through = new URL(url)
  through.port = String(await proxy.listen())
  onTestFinished(() => proxy.close())
  return { proxy, through: through.href }
}

async function makeDatabase(): Promise<string> {
  const folder = await makeTestFolder('onesixty-served-')
  onTestFinished(() => removeTestFolder(folder))
  return databaseSettings(folder)['DATABASE_URL'] ?? ''
}

/** A session that ends with the test, and may be killed before. */
export async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
