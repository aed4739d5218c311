import { expect, test } from 'vitest'
import { readMigrations } from '../../src/storage/seam/migrate.ts'
import { describeUpgrade } from '../../src/storage/seam/upgrade-progress.ts'

test('before an upgrade it is said what it takes, by what is missing and how many messages there are', async () => {
  const names = (await readMigrations('sqlite')).map(({ name }) => name)
  const migrations = names.filter((name) => name > '0022')
  expect(describeUpgrade({ kind: 'begins', migrations, messages: 1_000_000, isShared: false })).toMatch(
    /^Upgrading the database: \d+ migrations, 1,000,000 messages\. It takes about 1[5-9] s and 290 MB of free disk\./,
  )
  const few = describeUpgrade({
    kind: 'begins',
    migrations: ['0022_progress.sql'],
    messages: 5_000_000,
    isShared: true,
  })
  expect(few).toContain('about 1 s and 1 MB')
  const narrow = { kind: 'begins', migrations: ['0045_narrow_columns.sql'], messages: 1_000_000 } as const
  expect(describeUpgrade({ ...narrow, isShared: true })).toContain('about 25 s and 1600 MB of free disk')
  expect(describeUpgrade({ ...narrow, isShared: false })).toContain('about 1 s and 1 MB')
})

test('each step says which one it was, and how long it took', () => {
  const step = { kind: 'applied', migration: '0034_changes.sql', number: 3, of: 7, tookMs: 2_345 } as const
  expect(describeUpgrade(step)).toBe('Upgraded the database: 3 of 7, 0034_changes.sql, 2.3 s.')
})
