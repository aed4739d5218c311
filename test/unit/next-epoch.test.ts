import { expect, test } from 'vitest'
import { nextEpoch } from '../../src/storage/instance/epoch.ts'

const at = (epoch: number, progress = 0) => ({ epoch, progress })

test('the first start is no restore', () => {
  expect(nextEpoch(null, null)).toEqual({ epoch: 1, restored: false })
})

test('a start after a start is no restore', () => {
  expect(nextEpoch(at(7), at(7))).toEqual({ epoch: 8, restored: false })
})

test('a crash between the two writes is made up for, and is no restore, however often it happens', () => {
  expect(nextEpoch(at(8), at(7))).toEqual({ epoch: 8, restored: false })
})

test('a database behind its file was restored', () => {
  expect(nextEpoch(at(5), at(9))).toEqual({ epoch: 10, restored: true })
})

test('a database without its file was restored', () => {
  expect(nextEpoch(at(5), null)).toEqual({ epoch: 6, restored: true })
})

test('a database from elsewhere, far ahead of the file, was restored', () => {
  expect(nextEpoch(at(50), at(1))).toEqual({ epoch: 51, restored: true })
})

test('a marked copy was restored, even where its number would fit', () => {
  expect(nextEpoch(at(-7), at(7))).toEqual({ epoch: 8, restored: true })
  expect(nextEpoch(at(-8), at(7))).toEqual({ epoch: 9, restored: true })
  expect(nextEpoch(at(-3), null)).toEqual({ epoch: 4, restored: true })
})

test('a database that is behind the progress of its file was restored, though no start lies between', () => {
  expect(nextEpoch(at(7, 41), at(7, 42))).toEqual({ epoch: 8, restored: true })
  expect(nextEpoch(at(8, 41), at(7, 42))).toEqual({ epoch: 9, restored: true })
  expect(nextEpoch(at(7, 42), at(7, 42))).toEqual({ epoch: 8, restored: false })
})

test('a file that was not flushed behind the last claim is no restore', () => {
  expect(nextEpoch(at(7, 42), at(7, 40))).toEqual({ epoch: 8, restored: false })
})
