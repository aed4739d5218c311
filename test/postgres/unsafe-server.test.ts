import { expect, test } from 'vitest'
import { openPostgres } from '../../src/storage/postgres-database.ts'
import { openServed } from './served-storage.ts'

const settings = { applicationName: 'start', readers: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000 }

test.each([
  ['synchronous_commit', 'off'],
  ['synchronous_commit', 'local'],
  ['synchronous_commit', 'remote_write'],
])('a start on a server where %s is %s is refused, in words that say what to change', async (name, value) => {
  const { beside, url } = await openServed()
  const { rows } = await beside.query<{ database: string }>('select current_database() as database')
  await beside.query(`alter database "${rows[0]!.database}" set ${name} = ${value}`)
  await expect(openPostgres({ ...settings, url }, 0)).rejects.toThrow(`${name} is ${value}, and must be`)
})
