import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseFile } from '../../src/process/data-folder.ts'
import { openEmbedded } from '../../src/storage/sqlite/embedded-database.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { joinNodes } from '../../src/storage/instance/nodes.ts'
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

test('a database file that is put back by hand is noticed at the next start, and what waits is held', async () => {
  await start()
  await enqueueTwo(fixture)
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
  expect(await start()).toMatchObject({ epoch: 3, restored: true, heldMessages: 2, before: 2 })
  expect(await readHolds(fixture)).toEqual([1, 1])
  expect(await start()).toMatchObject({ epoch: 4, restored: false, heldMessages: 0, before: 3 })
  expect(await readHolds(fixture)).toEqual([1, 1])
})

test('a database whose file is gone is taken for a restored one', async () => {
  await start()
  await enqueueTwo(fixture)
  await rm(epochFile(fixture.dataFolder))
  expect(await start()).toMatchObject({ epoch: 2, restored: true, heldMessages: 2, before: null })
})

test('a start that died between its two writes is no restore, however often; its epoch is taken by the one that lives', async () => {
  const enter = () =>
    advanceEpoch(fixture.storage, fixture.dataFolder, fixture.clock.now(), (tx, begun) =>
      joinNodes(tx, fixture.clock, { ...begun, name: 'n1', isAlone: true, tidies: true }),
    )
  await enter()
  await enqueueTwo(fixture)
  const former = await readFile(epochFile(fixture.dataFolder))
  for (let cutOff = 0; cutOff < 2; cutOff++) {
    expect(await enter()).toMatchObject({ epoch: 2, restored: false, heldMessages: 0, before: 1 })
    await writeFile(epochFile(fixture.dataFolder), former)
  }
  expect(await enter()).toMatchObject({ epoch: 2, restored: false, heldMessages: 0 })
  expect(await inFile()).toBe('2')
  expect(
    await fixture.storage.read.selectFrom('nodes').select(['epoch', 'left_at']).orderBy('epoch').execute(),
  ).toEqual([
    { epoch: 1, left_at: fixture.clock.now() },
    { epoch: 2, left_at: null },
  ])
  expect(await enter()).toMatchObject({ epoch: 3, restored: false, before: 2 })
})

test('a file of another database holds what waits: nobody knows what was done with this one', async () => {
  await start()
  await enqueueTwo(fixture)
  await writeFile(epochFile(fixture.dataFolder), '1\n1700000000000\n')
  expect(await start()).toMatchObject({ epoch: 2, restored: true, heldMessages: 2, before: null })
})
