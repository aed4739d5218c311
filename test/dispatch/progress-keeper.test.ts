import { expect, onTestFinished, test } from 'vitest'
import { ProgressKeeper } from '../../src/dispatch/sweepers/progress-keeper.ts'
import { createLog } from '../../src/process/log.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { ProgressFile, readEpochFile } from '../../src/storage/instance/epoch-file.ts'
import { eventually } from '../eventually.ts'
import { openTestStorage } from '../open-test-storage.ts'
import { keepNumber, takeChange } from '../../src/messages/core/change-number.ts'

/** A keeper of a database that has been started once, and `change`, a unit that changes messages. */
async function open() {
  const { storage, clock, dataFolder, close } = await openTestStorage({ isStarted: false })
  onTestFinished(close)
  const { file: said } = await advanceEpoch(storage, dataFolder, clock.now())
  const file = new ProgressFile(dataFolder, said)
  onTestFinished(() => file.close())
  const log = createLog('silent', { write: () => undefined })
  const keeper = new ProgressKeeper({ read: storage.read, writer: storage.writer, clock, log, file })
  const change = () =>
    storage.writer.write(async (tx) => keepNumber(tx, await takeChange(tx, clock.now()), ['acc_a']))
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await storage.writer.drain()
    await clock.advance(0)
  }
  const inDatabase = async (): Promise<number> =>
    (await storage.read.selectFrom('instance').select('progress').executeTakeFirstOrThrow()).progress
  const inFile = async (): Promise<number> => (await readEpochFile(dataFolder))?.progress ?? 0
  return { keeper, change, pass, both: async () => [await inDatabase(), await inFile()] }
}

test('a start counts, and so does each five seconds in which messages were written, in the database and beside it', async () => {
  const { keeper, change, pass, both } = await open()
  await keeper.start()
  expect(await both()).toEqual([1, 1])
  await change()
  await pass(4_999)
  expect(await both()).toEqual([1, 1])
  await pass(1)
  // A reader says first whether anything was written.
  await eventually(both, (progress) => expect(progress).toEqual([2, 2]))
  await pass(60_000)
  expect(await both()).toEqual([2, 2])
  await keeper.stop()
  expect(await both()).toEqual([2, 2])
})

test('a stop counts what was written since', async () => {
  const { keeper, change, both } = await open()
  await keeper.start()
  await change()
  await keeper.stop()
  expect(await both()).toEqual([2, 2])
})
