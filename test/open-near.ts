import type { HotUnits } from '../src/messages/units.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { openStorage } from '../src/storage/open/open-storage.ts'
import { openNearStorage } from './near-storage.ts'
import { openFolder } from './open-folder.ts'
import { isPostgres } from './test-database.ts'

/** For `createApp` on a data folder that goes through several starts: near on the embedded database, as the program opens it on PostgreSQL. */
export const openNear: typeof openStorage<HotUnits> = (config, served, nowMs) =>
  config.databaseUrl === null ? openNearStorage(config.dataFolder, nowMs) : openStorage(config, served, nowMs)

/** The same for a test that works with the store of a folder by itself. */
export const openNearFolder = (dataFolder: string, nowMs: number): Promise<Storage<HotUnits>> =>
  isPostgres ? openFolder(dataFolder, nowMs) : openNearStorage(dataFolder, nowMs)
