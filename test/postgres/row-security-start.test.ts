import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/storage/postgres/postgres-database.ts'
import { accountReader, accountRows } from '../../src/storage/postgres/row-security.ts'
import { withDatabase } from '../postgres-server.ts'
import { openServed, openSession } from './served-storage.ts'

const settings = { applicationName: 'start', readers: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000 }

const policies = `select tablename, qual, obj_description(p.oid, 'pg_policy') as made_from
  from pg_policies join pg_policy p on polrelid = tablename::regclass and polname = policyname order by tablename`

/** Opens the database, as the next start of a node does. */
const startOn = async (url: string): Promise<void> => (await openPostgres({ ...settings, url }, 0)).close()

test('a start that finds row security half-made, or made by another version, makes the rest', async () => {
  const { beside, url } = await openServed()
  const read = async () => (await beside.query(policies)).rows as object[]
  const whole = await read()
  expect(whole).toHaveLength(Object.keys(accountRows).length)
  for (const damage of [
    'drop policy account_rows on messages',
    'alter table wallets disable row level security',
    `revoke select on sends from ${accountReader}`,
    'drop policy account_rows on queue; create policy account_rows on queue for select using (true)',
    `comment on policy account_rows on attempts is 'true'; alter policy account_rows on attempts using (true)`,
    `revoke usage on schema public from public, ${accountReader}`,
  ]) {
    await beside.query(damage)
    await startOn(url)
    expect({ damage, is: await read() }).toEqual({ damage, is: whole })
    const { rows } = await beside.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any($1)
         and (not relrowsecurity or not has_table_privilege($2, oid, 'select') or not has_schema_privilege($2, 'public', 'usage'))`,
      [Object.keys(accountRows), accountReader],
    )
    expect({ damage, open: rows }).toEqual({ damage, open: [] })
  }
})

test('a start that finds all of it changes nothing', async () => {
  const { beside, url } = await openServed()
  const made = async () => (await beside.query('select oid from pg_policy order by oid')).rows as object[]
  const before = await made()
  await startOn(url)
  expect(await made()).toEqual(before)
})

test('a program whose role may not take on the one that reads for accounts is told so before anything is made, and starts when it may', async () => {
  const name = `onesixty_${randomBytes(6).toString('hex')}`
  const admin = await openSession(inject('postgresUrl'))
  onTestFinished(() => removeRole(name))
  await admin.query(`create role ${name} login password 'x' nocreaterole`)
  await admin.query(`create database ${name} owner ${name}`)
  const url = new URL(withDatabase(inject('postgresUrl'), name))
  url.username = name
  url.password = 'x'
  await expect(startOn(url.href)).rejects.toThrow('run deploy/postgres-role.sh')
  const beside = await openSession(withDatabase(inject('postgresUrl'), name))
  const tables = async () =>
    (await beside.query("select from pg_tables where schemaname = 'public'")).rows.length
  expect(await tables()).toBe(0)
  await admin.query(`grant ${accountReader} to ${name}`)
  await startOn(url.href)
  expect(await tables()).toBeGreaterThan(0)
  expect((await beside.query(policies)).rows).toHaveLength(Object.keys(accountRows).length)
})

async function removeRole(name: string): Promise<void> {
  const admin = new Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`drop role if exists ${name}`)
  await admin.end()
}
