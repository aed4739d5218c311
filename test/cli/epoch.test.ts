import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { advanceEpoch, releaseHeld } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { enqueueTwo, readHolds } from './waiting-queue.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage({ isStarted: false })
})
afterEach(() => fixture.close())

const start = () => advanceEpoch(fixture.storage, fixture.dataFolder, fixture.clock.now())
const inFile = async (): Promise<string> =>
  (await readFile(epochFile(fixture.dataFolder), 'utf8')).replace(/\n.*/s, '')

test('counts the starts in the database and in the file beside it', async () => {
  expect(await start()).toMatchObject({ epoch: 1, restored: false, heldMessages: 0, before: null })
  await enqueueTwo(fixture)
  expect(await start()).toMatchObject({ epoch: 2, restored: false, heldMessages: 0, before: 1 })
  expect(await inFile()).toBe('2')
  expect(await fixture.storage.read.selectFrom('instance').select('epoch').execute()).toEqual([{ epoch: 2 }])
  expect(await readHolds(fixture)).toEqual([0, 0])
})

test('a file that holds no number stops the start', async () => {
  await start()
  await writeFile(epochFile(fixture.dataFolder), 'x')
  await expect(start()).rejects.toThrow('does not contain a number')
})

test('what is released can be claimed again, and expires again', async () => {
  await start()
  await enqueueTwo(fixture)
  // Ahead of a database that was put back.
  await writeFile(epochFile(fixture.dataFolder), '9\n')
  await start()
  expect(await releaseHeld(fixture.storage)).toBe(2)
  expect(await readHolds(fixture)).toEqual([0, 0])
  expect(await fixture.storage.read.selectFrom('queue_totals').select('next_expiry_at').execute()).toEqual([
    { next_expiry_at: 0 },
  ])
  expect(await releaseHeld(fixture.storage)).toBe(0)
})
