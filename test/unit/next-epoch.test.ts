import { expect, test } from 'vitest'
import { nextEpoch } from '../../src/storage/epoch.ts'

test('the first start is no restore', () => {
  expect(nextEpoch(null, null)).toEqual({ epoch: 1, restored: false })
})

test('a start after a start is no restore', () => {
  expect(nextEpoch(7, 7)).toEqual({ epoch: 8, restored: false })
})

test('a crash between the two writes is made up for, and is no restore, however often it happens', () => {
  expect(nextEpoch(8, 7)).toEqual({ epoch: 8, restored: false })
})

test('a database behind its file was restored', () => {
  expect(nextEpoch(5, 9)).toEqual({ epoch: 10, restored: true })
})

test('a database without its file was restored', () => {
  expect(nextEpoch(5, null)).toEqual({ epoch: 6, restored: true })
})

test('a database from elsewhere, far ahead of the file, was restored', () => {
  expect(nextEpoch(50, 1)).toEqual({ epoch: 51, restored: true })
})

test('a marked copy was restored, even where its number would fit', () => {
  expect(nextEpoch(-7, 7)).toEqual({ epoch: 8, restored: true })
  expect(nextEpoch(-8, 7)).toEqual({ epoch: 9, restored: true })
  expect(nextEpoch(-3, null)).toEqual({ epoch: 4, restored: true })
})

test('a new database in a folder that was served before takes none of the old numbers', () => {
  expect(nextEpoch(null, 9)).toEqual({ epoch: 10, restored: false })
})
