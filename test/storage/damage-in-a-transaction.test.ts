import { expect, onTestFinished, test } from 'vitest'
import { StorageError, type StorageFault } from '../../src/storage/seam/dialect.ts'
import { advanceProgress } from '../../src/storage/instance/progress.ts'
import { openTestStorage } from '../open-test-storage.ts'

/** A unit that writes, and one beside it in the same transaction that fails so; gives whether each was stored, and what the database holds. */
async function besideFailure(fault: StorageFault) {
  const { storage, close } = await openTestStorage({ isStarted: false })
  onTestFinished(close)
  await storage.writer.write((tx) =>
    tx
      .insertInto('instance')
      .values({ id: 1, epoch: 1, progress: 0, directory_version: 1, created_at: 0, cluster: null })
      .execute(),
  )
  const ends = await Promise.allSettled([
    storage.writer.write((tx) => advanceProgress(tx, 0)),
    storage.writer.write(async () => Promise.reject(new StorageError('so it is', fault, false))),
  ])
  const rows = await storage.read.selectFrom('instance').select('progress').execute()
  return { ends: ends.map(({ status }) => status), progress: rows[0]?.progress }
}

test('nothing is stored of a transaction in which a damaged page was met: what the others read may be anything', async () => {
  expect(await besideFailure('damaged')).toEqual({ ends: ['rejected', 'rejected'], progress: 0 })
})

test('any other failure of a unit leaves the others of its transaction', async () => {
  expect(await besideFailure('constraint')).toEqual({ ends: ['fulfilled', 'rejected'], progress: 1 })
})
