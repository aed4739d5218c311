import { readConfig } from '../src/config.ts'
import type { HotUnits } from '../src/messages/units.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { openStorage } from '../src/storage/open/open-storage.ts'
import { databaseSettings } from './test-database.ts'

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
