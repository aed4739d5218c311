import { expect, test } from 'vitest'
import { nextSharedEpoch } from '../../src/storage/epoch.ts'

const here = '7300/00000001'
const at = (epoch: number, cluster: string | null = here) => ({ epoch, cluster })

test('a new database begins behind what the node has done before', () => {
  expect(nextSharedEpoch(null, { inFile: null, cluster: here })).toEqual({ epoch: 1, restored: false })
  expect(nextSharedEpoch(null, { inFile: 4, cluster: here })).toEqual({ epoch: 5, restored: false })
})

test('a node that is new, or was away while others started, sees no restore', () => {
  expect(nextSharedEpoch(at(7), { inFile: null, cluster: here })).toEqual({ epoch: 8, restored: false })
  expect(nextSharedEpoch(at(7), { inFile: 2, cluster: here })).toEqual({ epoch: 8, restored: false })
  expect(nextSharedEpoch(at(7), { inFile: 7, cluster: here })).toEqual({ epoch: 8, restored: false })
})

test('a database that is behind a node was put back, and its next epoch was used by nobody', () => {
  expect(nextSharedEpoch(at(7), { inFile: 9, cluster: here })).toEqual({ epoch: 10, restored: true })
})

test('a database on another server or another timeline was put back', () => {
  expect(nextSharedEpoch(at(7), { inFile: 7, cluster: '7301/00000001' })).toEqual({
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
