import { stat, statfs } from 'node:fs/promises'
import { merging, units, type HotUnits } from '../src/messages/units.ts'
import { databaseFile } from '../src/process/data-folder.ts'
import type { Units } from '../src/storage/seam/dialect.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { emptyLog } from '../src/storage/sqlite/empty-log.ts'
import { connectLocally, type LocalConnection } from '../src/storage/sqlite/local-connection.ts'
import { mergedUnits } from '../src/storage/seam/merged-units.ts'
import { openNearStore } from './near-store.ts'

/**
 * A near store in the file of a data folder, as a `Storage`: reads go by a connection of their own and see what is committed, commands and other
 * connections find the file. What crosses to the threads of a server as JSON is JSON here, too.
 */
export interface NearStorage extends Storage<HotUnits> {
  /** Removes every row; gives whether there are no statistics. */
  clear(): Promise<boolean>
}

export async function openNearStorage(
  dataFolder: string,
  nowMs: number,
  maxMergedWeight = 2_000,
): Promise<NearStorage> {
  const file = databaseFile(dataFolder)
  const store = await openNearStore(nowMs, file)
  const { writer, connection } = store
  const connect = () => connectLocally({ file, readOnly: true, busyTimeoutMs: 5_000, cacheKiB: 4_096 })
  const reading = connect()
  const read = reading.db
  const longReadings: LocalConnection[] = []
  const merged = mergedUnits({ writer, units, merging, maxWeight: maxMergedWeight })
  const alone = (unit: Units[string], input: unknown) => writer.write((tx) => unit(tx, input as never))
  const runUnit = async (name: keyof HotUnits, input: unknown): Promise<unknown> =>
    asJson(await (merged.get(name) ?? ((crossed) => alone(units[name], crossed)))(asJson(input)))
  return {
    read,
    priorityRead: read,
    readOf: () => read,
    writer,
    cluster: null,
    signals: null,
    damage: null,
    died: new Promise(() => undefined),
    runUnit: runUnit as NearStorage['runUnit'],
    async flushTimes() {
      const [p50Ms = 0, p99Ms = 0] = connection.flushTimes.percentiles([0.5, 0.99])
      return { p50Ms, p99Ms }
    },
    async sizes() {
      const [{ size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(dataFolder)])
      const { changes = 0 } = connection.execute({ op: 'wal-bytes', sql: '', values: [] })
      return { databaseBytes: size, walBytes: changes, diskFreeBytes: bavail * bsize }
    },
    emptyLog: () => emptyLog(store.db),
    checkpoint: async () =>
      void connection.execute({ op: 'exec', sql: 'pragma wal_checkpoint(passive)', values: [] }),
    openLongReads() {
      const longReading = connect()
      longReadings.push(longReading)
      return () => longReading.db
    },
    async clear() {
      await writer.drain()
      store.clear()
      return !store.hasStatistics()
    },
    async close() {
      await writer.drain()
      for (const each of [reading, ...longReadings.splice(0)]) await each.close()
      await store.close()
    },
  }
}

const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
