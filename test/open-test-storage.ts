import { createIds, type Ids } from '../src/runtime/ids.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
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

/** An empty store with a clock that stands still; near on the embedded database, and emptied where it is closed (kept-storages.ts). */
export async function openTestStorage(): Promise<TestStorage> {
  const clock = createStubClock()
  const { storage, dataFolder } = await takeStorage(clock.now())
  const close = async (): Promise<void> => {
    await storage.close()
    await giveStorageBack(dataFolder)
  }
  return { storage, clock, ids: createIds({ now: clock.now }), dataFolder, close }
}

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
