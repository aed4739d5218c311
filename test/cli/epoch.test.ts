import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile, openEmbedded } from '../../src/storage/database.ts'
import { advanceEpoch, epochFile, releaseHeld } from '../../src/storage/epoch.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage()
})
afterEach(() => fixture.close())

const start = () => advanceEpoch(fixture.storage, fixture.dataFolder, fixture.clock.now())
const inFile = async (): Promise<string> => readFile(epochFile(fixture.dataFolder), 'utf8')
const holds = async (): Promise<number[]> =>
  (await fixture.storage.read.selectFrom('queue').select('restore_hold').orderBy('message_id').execute()).map(
    (row) => row.restore_hold,
  )

/** Two waiting messages, one of them claimed. */
const enqueue = () =>
  fixture.storage.writer.write(async (tx) => {
    const place = {
      route_key: 'live:',
      account_id: 'acc_a',
      priority: 1,
      due_at: 1,
      mode: 'live',
      parts: 1,
      expires_at: 2,
      changed_at: 1,
    } as const
    await insertRows(tx, 'queue', [
      { ...place, message_id: 'msg_1', claimed_by: null },
      { ...place, message_id: 'msg_2', claimed_by: 'dev_a' },
    ])
    await insertRows(tx, 'queue_totals', [
      { account_id: 'acc_a', mode: 'live', route_key: 'live:', messages: 1, parts: 1, next_expiry_at: 2 },
    ])
  })

test('counts the starts in the database and in the file beside it', async () => {
  expect(await start()).toEqual({ epoch: 1, restored: false, heldMessages: 0, before: null })
  await enqueue()
  expect(await start()).toEqual({ epoch: 2, restored: false, heldMessages: 0, before: 1 })
  expect(await inFile()).toBe('2\n')
  expect(await fixture.storage.read.selectFrom('instance').select('epoch').execute()).toEqual([{ epoch: 2 }])
  expect(await holds()).toEqual([0, 0])
})

test('a database file that is put back by hand is noticed at the next start, and what waits is held', async () => {
  await start()
  await enqueue()
  const live = databaseFile(fixture.dataFolder)
  const database = new DatabaseSync(live)
  database.exec(`vacuum into '${live}.copy'`)
  database.close()
  await start()
  await fixture.storage.close()

  for (const suffix of ['-wal', '-shm']) await rm(`${live}${suffix}`, { force: true })
  await rename(`${live}.copy`, live)
  const settings = { dataFolder: fixture.dataFolder, busyTimeoutMs: 1_000, cacheKiB: 1_024 }
  fixture.storage = await openEmbedded(settings, fixture.clock.now())
  expect(await start()).toEqual({ epoch: 3, restored: true, heldMessages: 2, before: 2 })
  expect(await holds()).toEqual([1, 1])
  expect(await start()).toEqual({ epoch: 4, restored: false, heldMessages: 0, before: 3 })
  expect(await holds()).toEqual([1, 1])
})

test('a database whose file is gone is taken for a restored one', async () => {
  await start()
  await enqueue()
  await rm(epochFile(fixture.dataFolder))
  expect(await start()).toEqual({ epoch: 2, restored: true, heldMessages: 2, before: null })
})

test('a start that died between its two writes is no restore', async () => {
  await start()
  await enqueue()
  await writeFile(epochFile(fixture.dataFolder), '1\n')
  await fixture.storage.writer.write((tx) => tx.updateTable('instance').set({ epoch: 2 }).execute())
  expect(await start()).toEqual({ epoch: 2, restored: false, heldMessages: 0, before: 1 })
  expect(await inFile()).toBe('2\n')
})

test('a file that holds no number stops the start', async () => {
  await start()
  await writeFile(epochFile(fixture.dataFolder), 'x')
  await expect(start()).rejects.toThrow('does not hold a number')
})

test('what is released can be claimed again, and expires again', async () => {
  await start()
  await enqueue()
  await rm(epochFile(fixture.dataFolder))
  await start()
  expect(await fixture.storage.writer.write(releaseHeld)).toBe(2)
  expect(await holds()).toEqual([0, 0])
  expect(await fixture.storage.read.selectFrom('queue_totals').select('next_expiry_at').execute()).toEqual([
    { next_expiry_at: 0 },
  ])
  expect(await fixture.storage.writer.write(releaseHeld)).toBe(0)
})
