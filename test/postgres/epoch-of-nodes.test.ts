import { rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { beatNode, joinNodes } from '../../src/storage/instance/nodes.ts'
import { advanceProgress, RestoredError } from '../../src/storage/instance/progress.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { enqueueTwo, readHolds } from '../cli/waiting-queue.ts'

let fixture: TestStorage
beforeEach(async () => {
  fixture = await openTestStorage({ isStarted: false })
})
afterEach(() => fixture.close())

const start = () => advanceEpoch(fixture.storage, fixture.dataFolder, fixture.clock.now())

/** Of a dump that was read back in. */
const putBack = (was: { epoch?: number; cluster?: string; progress?: number }) =>
  fixture.storage.writer.write((tx) => tx.updateTable('instance').set(was).execute())

test('a database behind the file of a node was put back, and what waits is held', async () => {
  await start()
  await enqueueTwo(fixture)
  await start()
  await putBack({ epoch: 1 })
  expect(await start()).toMatchObject({ epoch: 3, restored: true, heldMessages: 2, before: 2 })
  expect(await readHolds(fixture)).toEqual([1, 1])
  expect(await start()).toMatchObject({ epoch: 4, restored: false, heldMessages: 0, before: 3 })
})

test('so was one that lies on another history than the one it was last served on', async () => {
  await start()
  await enqueueTwo(fixture)
  await putBack({ cluster: '7000000000000000000/00000001' })
  expect(await start()).toMatchObject({ epoch: 2, restored: true, heldMessages: 2, before: 1 })
  expect(await start()).toMatchObject({ epoch: 3, restored: false, heldMessages: 0, before: 2 })
})

test('a node that is new, or behind the others, restores nothing', async () => {
  await start()
  await enqueueTwo(fixture)
  await rm(epochFile(fixture.dataFolder))
  expect(await start()).toMatchObject({ epoch: 2, restored: false, heldMessages: 0, before: null })
  await writeFile(epochFile(fixture.dataFolder), '1\n')
  expect(await start()).toMatchObject({ epoch: 3, restored: false, heldMessages: 0, before: 1 })
  expect(await readHolds(fixture)).toEqual([0, 0])
})

test('a server that took over with all that its nodes knew restores nothing, however late one of them starts anew', async () => {
  await start()
  await enqueueTwo(fixture)
  await putBack({ cluster: '7000000000000000000/00000001' })
  const beat = { epoch: 1, name: 'n1', tidies: true, marks: ['m'] }
  const { saidAt, held } = await fixture.storage.writer.write((tx) => beatNode(tx, fixture.clock, beat))
  expect(held).toBeNull()
  expect(await start()).toMatchObject({ epoch: 2, restored: false, heldMessages: 0 })
  await fixture.storage.writer.write((tx) => beatNode(tx, fixture.clock, { ...beat, saidBefore: saidAt }))
  expect(await readHolds(fixture)).toEqual([0, 0])
})

test('one that was put back under a running node gives out nothing, until its next beat holds what waits; then it goes on from what was known', async () => {
  await start()
  await enqueueTwo(fixture)
  const { writer } = fixture.storage
  const beat = { epoch: 1, name: 'n1', tidies: true, marks: ['m'] }
  const { saidAt } = await writer.write((tx) => beatNode(tx, fixture.clock, beat))
  const known = await writer.write((tx) => advanceProgress(tx, 0))
  await putBack({ progress: known - 1 })
  await expect(writer.write((tx) => advanceProgress(tx, known))).rejects.toThrow(RestoredError)
  const { held } = await writer.write((tx) =>
    beatNode(tx, fixture.clock, { ...beat, saidBefore: saidAt, known }),
  )
  expect([held, await readHolds(fixture)]).toEqual([2, [1, 1]])
  expect(await writer.write((tx) => advanceProgress(tx, known))).toBe(known + 1)
})

test('each beat tells a node how far the others are, so that its folder notices a database that is put back by what they did', async () => {
  await start()
  const { writer } = fixture.storage
  const beat = { epoch: 1, name: 'n1', tidies: true, marks: ['m'] }
  const known = await writer.write((tx) => advanceProgress(tx, 0))
  const done = await writer.write((tx) => advanceProgress(tx, known))
  expect(await writer.write((tx) => beatNode(tx, fixture.clock, { ...beat, known }))).toMatchObject({
    progress: done,
    held: null,
  })
})

test('a restored database goes on from the number that the folder knows', async () => {
  const { file } = await start()
  await putBack({ progress: file.progress + 40 })
  const { epoch, createdAt, progress } = (await start()).file
  expect(progress).toBe(file.progress + 40)
  await putBack({ progress: file.progress })
  expect(await start()).toMatchObject({ restored: true, file: { epoch: epoch + 1, createdAt, progress } })
  const read = fixture.storage.read.selectFrom('instance').select('progress')
  expect(await read.execute()).toEqual([{ progress }])
})

test('a folder that served another database before tells nothing of this one', async () => {
  await start()
  await start()
  await enqueueTwo(fixture)
  await writeFile(epochFile(fixture.dataFolder), '1\n1700000000000\n')
  expect(await start()).toMatchObject({ epoch: 3, restored: false, heldMessages: 0, before: null })
  await writeFile(epochFile(fixture.dataFolder), '90\n1700000000000\n')
  expect(await start()).toMatchObject({ epoch: 4, restored: false, heldMessages: 0, before: null })
})

test('a start that fails on its way into the database has taken no epoch, and its node is not in the way of the next one', async () => {
  const enter = (fails: boolean) =>
    advanceEpoch(fixture.storage, fixture.dataFolder, fixture.clock.now(), async (tx, begun) => {
      await joinNodes(tx, fixture.clock, { ...begun, name: 'n1', isAlone: false, tidies: true })
      if (fails) throw new Error('the database is away')
    })
  await enter(false)
  await enqueueTwo(fixture)
  await putBack({ cluster: '7000000000000000000/00000001' })
  await expect(enter(true)).rejects.toThrow('away')
  expect(await enter(false)).toMatchObject({ epoch: 2, restored: true, heldMessages: 2, before: 1 })
  expect(
    await fixture.storage.read.selectFrom('nodes').select(['epoch', 'name']).orderBy('epoch').execute(),
  ).toEqual([
    { epoch: 1, name: 'n1' },
    { epoch: 2, name: 'n1' },
  ])
})
