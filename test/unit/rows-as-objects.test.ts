import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { messageColumns } from '../../src/messages/core/message-store.ts'
import { rowsAsObjects } from '../../src/storage/sqlite/rows-as-objects.ts'

const isFast = (): ((object: object) => boolean) => {
  setFlagsFromString('--allow-natives-syntax')
  return runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean
}

test('each row has its values under the names of its columns, and shares nothing with the next', () => {
  const [one, other] = rowsAsObjects(['a', 'b'], [[1, null], ['x', 2]]) // prettier-ignore
  expect([one, other]).toEqual([{ a: 1, b: null }, { a: 'x', b: 2 }]) // prettier-ignore
  expect(rowsAsObjects(['a'], [])).toEqual([])
  expect(rowsAsObjects(['a,b'], [[1]])).toEqual([{ 'a,b': 1 }])
  expect(rowsAsObjects(['__proto__x', '"', 'a,b'], [[1, 2, 3]])).toEqual([{ '__proto__x': 1, '"': 2, 'a,b': 3 }]) // prettier-ignore
  expect(rowsAsObjects(['__proto__', 'a'], [[{}, 1]]).map((row) => Object.keys(row))).toEqual([
    ['__proto__', 'a'],
  ])
})

test('of two columns of one name the last one counts', () => {
  expect(rowsAsObjects(['id', 'id'], [[1, 2]])).toEqual([{ id: 2 }])
})

test('a row of a message is an object of which V8 knows the shape, and so are its copies', () => {
  const fast = isFast()
  const [row] = rowsAsObjects(messageColumns, [messageColumns.map((_, i) => i)])
  expect(fast(row as object)).toBe(true)
  expect(fast({ ...row, status: 'sent' })).toBe(true)
  const byName: Record<string, unknown> = {}
  for (const column of messageColumns) byName[column] = 1
  expect(fast(byName)).toBe(false)
})
