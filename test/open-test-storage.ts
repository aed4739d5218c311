import { readConfig } from '../src/config.ts'
import { createIds, type Ids } from '../src/ids.ts'
import type { Storage } from '../src/storage/database.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import type { HotUnits } from '../src/messages/units.ts'
import { createStubClock, type StubClock } from './stub-clock.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from './test-database.ts'

export interface TestStorage {
  storage: Storage
  clock: StubClock
  ids: Ids
  dataFolder: string
  /** Closes the database and removes its folder. */
  close(): Promise<void>
}

/** The real store in a folder of its own, with a clock that stands still. `onFolder` may say that its database is reached another way. */
export async function openTestStorage(
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

/** The real store of a data folder, as a server opens it. */
export const openFolder = (
  dataFolder: string,
  nowMs: number,
  {
    maxMergedWeight = 2_000,
    settings = {},
  }: { maxMergedWeight?: number; settings?: Record<string, string> } = {},
): Promise<Storage<HotUnits>> =>
  openStorage<HotUnits>(
    readConfig({ ...databaseSettings(dataFolder), ...settings }),
    { unitsModule, maxMergedWeight },
    nowMs,
  )

const unitsModule = new URL('../src/messages/units.ts', import.meta.url)
