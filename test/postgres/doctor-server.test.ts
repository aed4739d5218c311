import { basename } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CheckResult } from '../../src/cli/core/check-result.ts'
import { type Cli, openCli } from '../cli/run-cli.ts'
import { openDatabase } from '../open-database.ts'

let cli: Cli
beforeEach(async () => {
  cli = await openCli()
})
afterEach(() => cli.close())

async function examine(
  rest = '',
): Promise<{ code: number; failed: CheckResult[]; summary: Record<string, string> }> {
  const { code, stdout } = await cli.run(`doctor --json ${rest}`)
  const { checks } = JSON.parse(stdout) as { checks: CheckResult[] }
  return {
    code,
    failed: checks.filter((check) => !check.ok),
    summary: Object.fromEntries(checks.map(({ name, summary }) => [name, summary])),
  }
}

async function change(statement: string): Promise<void> {
  const { db, close } = openDatabase(cli.dataFolder)
  await sql.raw(statement).execute(db)
  await close()
}

test('says which server it is, how large, and who else is there', async () => {
  const { failed, summary } = await examine()
  expect(failed).toEqual([])
  expect(summary['database']).toMatch(
    new RegExp(`^PostgreSQL [0-9.]+.*, database ${basename(cli.dataFolder)}, [0-9.]+ MB\\.$`),
  )
  expect(summary['connections']).toMatch(/^\d+ of 397 connections in use; a node needs up to 17\.$/)
  expect(summary['replication']).toBe('No standby is connected.')
})

test('a setting under which a power cut loses messages, in the words of the server at its start', async () => {
  await change(`alter database "${basename(cli.dataFolder)}" set synchronous_commit = off`)
  const { code, failed } = await examine()
  expect([code, failed.map(({ name }) => name)]).toEqual([1, ['settings']])
  expect(failed[0]?.summary).toContain('synchronous_commit is off, and must be on or remote_apply')
})

test('a server that does not answer is one failed check, with what to do', async () => {
  const other = await openCli({ DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1:1/none' })
  const { stdout } = await other.run('doctor')
  await other.close()
  expect(stdout).toContain('FAIL  database: ')
  expect(stdout).toContain('try psql with the same DATABASE_URL')
  expect(stdout).not.toContain('postgres:postgres')
})

test('with --full every row is read, and every index too where the extension is there', async () => {
  expect((await examine('--full')).summary['integrity']).toContain('No corruption found in any row;')
  await change('create extension amcheck')
  expect((await examine('--full')).summary['integrity']).toContain('No corruption found in any row or index')
  await cli.json('account create --name Ada --email ada@example.org')
  const twist = (end: string): string =>
    `create or replace function twist(text) returns text immutable language sql as $$ select $1 || '${end}' $$`
  await change(twist(''))
  await change('create index twisted on accounts (twist(name))')
  expect((await examine('--full')).failed).toEqual([])
  // The index now holds what nobody would look for.
  await change(twist('x'))
  expect((await examine('--full')).failed).toMatchObject([
    { name: 'integrity', summary: expect.stringContaining('twisted') },
  ])
})
