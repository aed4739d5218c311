import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile } from '../../src/process/data-folder.ts'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { cliProcess, type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { removeTestFolder } from '../test-database.ts'

let dataFolder: string
let first: NonNullable<ServerProcess['first']>
let server: ServerProcess | null
let client: ApiClient | null = null
beforeEach(async () => {
  dataFolder = await temporaryFolder()
  server = await startServerProcess({ dataFolder })
  first = server.first as NonNullable<ServerProcess['first']>
  expect(await server.stop()).toMatchObject({ code: 0 })
  server = null
})
afterEach(async () => {
  client?.close()
  await server?.kill('SIGKILL')
  await removeTestFolder(dataFolder)
})

/** Writes zeros over the first page of a table or an index. */
async function damage(name: string): Promise<void> {
  const database = new DatabaseSync(databaseFile(dataFolder))
  const { size } = database.prepare('select page_size as size from pragma_page_size').get() as {
    size: number
  }
  const { page } = database
    .prepare('select rootpage as page from sqlite_master where name = ?')
    .get(name) as {
    page: number
  }
  database.close()
  await overwrite((page - 1) * size, size)
}

async function overwrite(at: number, octets: number): Promise<void> {
  const file = await open(databaseFile(dataFolder), 'r+')
  await file.write(Buffer.alloc(octets), 0, octets, at)
  await file.close()
}

const serve = () => cliProcess(['serve'], { dataFolder, env: { ONESIXTY_PORT: '0' } })

test('a server that meets a damaged page is not ready, accepts nothing more, says so as a problem of its own, and names the remedy once', async () => {
  await damage('idempotency_keys')
  server = await startServerProcess({ dataFolder, isFirst: false })
  client = createApiClient(server.url)
  const message = { to: '+15005550006', text: 'Hello' }
  expect((await client.send(first.testKey, message)).status).toBe(202)
  const damaged = { status: 503, body: { code: 'storage_damaged' } }
  expect(await client.send(first.testKey, message, { 'idempotency-key': 'order-1' })).toMatchObject(damaged)
  expect(await client.send(first.testKey, message)).toMatchObject(damaged)
  const ready = await fetch(`${server.url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringContaining('the database is damaged'),
  ])
  const { output } = server
  await eventually(output, (said) => expect(said).toMatch(/restore a backup: (\.\/)?onesixty restore <file>/))
  expect(output().match(/restore a backup/g)).toHaveLength(1)
})

test('a start on a file that is no database ends with 78', async () => {
  await overwrite(0, 100)
  expect(await serve()).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('onesixty restore <file>'),
  })
})

test('so does one that meets a damaged page before it serves', async () => {
  await damage('devices')
  expect(await serve()).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('onesixty restore <file>'),
  })
})
