import { readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CheckResult } from '../../src/cli/core/check-result.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeEach(async () => {
  cli = await openCli()
  await cli.json('account create --name Ada --email ada@example.org')
})
afterEach(() => cli.close())

async function examine(): Promise<{ code: number; failed: string[] }> {
  const { code, stdout } = await cli.run('doctor --json')
  const { checks } = JSON.parse(stdout) as { checks: CheckResult[] }
  return { code, failed: checks.filter((check) => !check.ok).map((check) => check.name) }
}

test('a damaged file, and one that is no database', async () => {
  const file = databaseFile(cli.dataFolder)
  const database = new DatabaseSync(file)
  database.exec('pragma wal_checkpoint(truncate)')
  const { rootpage } = database
    .prepare(`select rootpage from sqlite_master where name = 'ledger_entries'`)
    .get() as { rootpage: number }
  database.close()
  const bytes = await readFile(file)
  bytes.fill(0xff, (rootpage - 1) * 4_096, rootpage * 4_096)
  await writeFile(file, bytes)
  const damaged = await examine()
  expect(damaged.code).toBe(1)
  expect(damaged.failed).toContain('integrity')

  await writeFile(file, 'not a database at all')
  const foreign = await examine()
  expect([foreign.code, foreign.failed]).toEqual([1, ['database']])
})
