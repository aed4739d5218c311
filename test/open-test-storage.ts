import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIds, type Ids } from '../src/ids.ts'
import { openEmbedded, type Storage } from '../src/storage/database.ts'
import { createStubClock, type StubClock } from './stub-clock.ts'

export interface TestStorage {
  storage: Storage
  clock: StubClock
  ids: Ids
  dataFolder: string
  /** Closes the database and removes its folder. */
  close(): Promise<void>
}

/** The real store in a folder of its own, with a clock that stands still. */
export async function openTestStorage(): Promise<TestStorage> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-test-'))
  const clock = createStubClock()
  const storage = await openEmbedded({ dataFolder, busyTimeoutMs: 5_000, cacheKiB: 4_096 }, clock.now())
  return {
    storage,
    clock,
    ids: createIds({ now: clock.now }),
    dataFolder,
    async close() {
      await storage.close()
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
