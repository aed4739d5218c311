import { expect, test } from 'vitest'
import { nextSharedEpoch } from '../../src/storage/instance/epoch.ts'

const here = '7300/00000001'
const at = (epoch: number, cluster: string | null = here, progress = 0) => ({ epoch, cluster, progress })

test('a new database begins with the first epoch', () => {
  expect(nextSharedEpoch(null, { inFile: null, cluster: here })).toEqual({ epoch: 1, restored: false })
})

test('a node that is new, or was away while others started, sees no restore', () => {
  expect(nextSharedEpoch(at(7), { inFile: null, cluster: here })).toEqual({ epoch: 8, restored: false })
  expect(nextSharedEpoch(at(7), { inFile: { epoch: 2, progress: 0 }, cluster: here })).toEqual({
    epoch: 8,
    restored: false,
  })
  expect(nextSharedEpoch(at(7), { inFile: { epoch: 7, progress: 0 }, cluster: here })).toEqual({
    epoch: 8,
    restored: false,
  })
})

test('a database that is behind a node was put back, and its next epoch was used by nobody', () => {
  expect(nextSharedEpoch(at(7), { inFile: { epoch: 9, progress: 0 }, cluster: here })).toEqual({
    epoch: 10,
    restored: true,
  })
})

test('a database that is behind what a node saw of it was put back, though nobody started since', () => {
  const inFile = { epoch: 7, progress: 42 }
  expect(nextSharedEpoch(at(7, here, 41), { inFile, cluster: here })).toEqual({ epoch: 8, restored: true })
  expect(nextSharedEpoch(at(9, here, 42), { inFile, cluster: here })).toEqual({ epoch: 10, restored: false })
})

test('a database on another server or another timeline was put back', () => {
  expect(nextSharedEpoch(at(7), { inFile: { epoch: 7, progress: 0 }, cluster: '7301/00000001' })).toEqual({
    epoch: 8,
    restored: true,
  })
  expect(nextSharedEpoch(at(7), { inFile: null, cluster: '7300/00000002' })).toEqual({
    epoch: 8,
    restored: true,
  })
})

test('one whose history was never written down is taken as it is, and a marked copy is a restore', () => {
  expect(nextSharedEpoch(at(7, null), { inFile: null, cluster: here })).toEqual({ epoch: 8, restored: false })
  expect(nextSharedEpoch(at(-7, null), { inFile: null, cluster: here })).toEqual({ epoch: 8, restored: true })
})
