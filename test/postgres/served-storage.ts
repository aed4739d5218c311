import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { openPostgres, type ServedSettings } from '../../src/storage/postgres-database.ts'
import { FaultProxy } from '../peers/fault-proxy.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'

export interface Served {
  storage: Awaited<ReturnType<typeof openPostgres>>
  /** Between the storage and the server. */
  proxy: FaultProxy
  /** A session of somebody else in the same database, around the proxy. */
  beside: Client
}

/** The storage of a database of its own, behind a proxy and with time-outs that a test can wait for. All of it ends with the test. */
export async function openServed(more: Partial<ServedSettings> = {}): Promise<Served> {
  const { url, beside } = await openDatabase()
  const { hostname, port } = new URL(url)
  const proxy = new FaultProxy({ target: { host: hostname, port: Number(port) } })
  const through = new URL(url)
  through.port = String(await proxy.listen())
  onTestFinished(() => proxy.close())
  const settings = { applicationName: 'served', readers: 2, connectTimeoutMs: 1_000, statementTimeoutMs: 500 }
  const storage = await openPostgres({ ...settings, ...more, url: through.href }, 0)
  onTestFinished(async () => {
    proxy.heal()
    await storage.close()
  })
  return { storage, proxy, beside }
}

/** A database of its own with all tables, unless it is to be empty, and a session in it. */
async function openDatabase({ isEmpty = false } = {}): Promise<{ url: string; beside: Client }> {
  const folder = await makeTestFolder('onesixty-served-', { isEmpty })
  onTestFinished(() => removeTestFolder(folder))
  const url = databaseSettings(folder)['DATABASE_URL'] ?? ''
  const beside = new Client({ connectionString: url })
  await beside.connect()
  onTestFinished(() => beside.end())
  return { url, beside }
}
