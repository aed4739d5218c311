import { expect, test } from 'vitest'
import { UnfitValueError } from '../../src/storage/dialect.ts'
import { openServed } from './served-storage.ts'

test('a value that the database refuses for what it is is no trouble of the database: it goes on taking writes', async () => {
  const { storage } = await openServed()
  const naming = (name: string) =>
    storage.writer.write((tx) => tx.updateTable('accounts').set({ name }).where('id', '=', name).execute())
  await expect(naming('a\u0000b')).rejects.toBeInstanceOf(UnfitValueError)
  expect(storage.writer.trouble()).toBeNull()
  const [refused, taken] = await Promise.allSettled([naming('a\u0000b'), naming('ab')])
  expect([refused.status, taken.status]).toEqual(['rejected', 'fulfilled'])
})
