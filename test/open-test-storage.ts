import { createIds, type Ids } from '../src/runtime/ids.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { insertRows } from '../src/storage/seam/sets.ts'
import type { Tx } from '../src/storage/seam/dialect.ts'
import { giveStorageBack, takeStorage } from './kept-storages.ts'
import { createStubClock, type StubClock } from './stub-clock.ts'
import { openFolder } from './open-folder.ts'
import { makeTestFolder, removeTestFolder } from './test-database.ts'

export interface TestStorage {
  storage: Storage
  clock: StubClock
  ids: Ids
  dataFolder: string
  /** Closes the database and removes its folder. */
  close(): Promise<void>
}

/**
 * A store with a clock that stands still; near on the embedded database, and emptied where it is closed (kept-storages.ts). Empty but for the row of
 * its instance, from which units take their numbers; without that, too, if no server is to have started on it.
 */
export async function openTestStorage({ isStarted = true } = {}): Promise<TestStorage> {
  const clock = createStubClock()
  const { storage, dataFolder } = await takeStorage(clock.now())
  if (isStarted) await storage.writer.write((tx) => startInstance(tx, clock.now()))
  const close = async (): Promise<void> => {
    await storage.close()
    await giveStorageBack(dataFolder)
  }
  return { storage, clock, ids: createIds({ now: clock.now }), dataFolder, close }
}

/** What the first start of a server leaves, where there was none. */
export const startInstance = (tx: Tx, nowMs: number): Promise<number> =>
  insertRows(tx, 'instance', [{ id: 1, epoch: 1, directory_version: 1, created_at: nowMs }], 'ignore')

/** The store as a server opens it, threads included, in a folder of its own. `onFolder` may say that its database is reached another way. */
export async function openRealStorage(
  onFolder: (dataFolder: string) => Promise<void> = async () => undefined,
): Promise<TestStorage> {
  const dataFolder = await makeTestFolder()
  await onFolder(dataFolder)
  const clock = createStubClock()
  const storage = await openFolder(dataFolder, clock.now())
  return {
    storage,
    clock,
    ids: createIds({ now: clock.now }),
    dataFolder,
    async close() {
      await storage.close()
      await removeTestFolder(dataFolder)
    },
  }
}
