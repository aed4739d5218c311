import type { HotUnits } from '../src/messages/units.ts'
import type { Storage } from '../src/storage/seam/storage.ts'
import { temporaryFolder } from './harness.ts'
import { openFolder } from './open-folder.ts'
import { startInstance } from './open-test-storage.ts'
import { removeTestFolder } from './test-database.ts'

export interface TwoWriters {
  nodes: readonly [Storage<HotUnits>, Storage<HotUnits>]
  close(): Promise<void>
}

/** Opens one database twice, as two nodes do. */
export async function openTwoWriters(): Promise<TwoWriters> {
  const dataFolder = await temporaryFolder()
  const open = (): Promise<Storage<HotUnits>> => openFolder(dataFolder, Date.now())
  const first = await open()
  const nodes = [first, await open()] as const
  await first.writer.write((tx) => startInstance(tx, Date.now()))
  return {
    nodes,
    async close() {
      for (const node of nodes) await node.close()
      await removeTestFolder(dataFolder)
    },
  }
}
