import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { allDone } from '../../src/runtime/all-done.ts'
import { type Tx, UnfitValueError } from '../../src/storage/seam/dialect.ts'
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

test('of statements that cross together the reason of the first that fails is told, whichever is looked at first; nothing of them stays', async () => {
  const { storage } = await openServed()
  const written: string[] = []
  const account = (id: string, tx: Tx) => {
    written.push(id)
    return tx
      .insertInto('accounts')
      .values({ id, name: id, state: 'active', created_at: 1, updated_at: 1 })
      .execute()
  }
  await storage.writer.write((tx) => account('acc_there', tx))
  const asTheyCome = (round: number, tx: Tx): Promise<unknown> =>
    allDone([
      allDone([
        account(`acc_${round}a`, tx),
        allDone([account('acc_there', tx), account(`acc_${round}b`, tx)]),
      ]),
      account(`acc_${round}c`, tx),
      account(`acc_${round}d`, tx),
    ])
  const followersFirst = async (round: number, tx: Tx): Promise<unknown> => {
    const first = account('acc_there', tx)
    first.catch(() => undefined)
    await account(`acc_${round}b`, tx)
    return first
  }
  for (let round = 0; round < 20; round++) {
    const unit = storage.writer.write((tx) => (round % 4 < 2 ? asTheyCome : followersFirst)(round, tx))
    // Alone in its transaction, and behind the savepoint of one that goes on.
    const beside = round % 2 === 0 ? null : storage.writer.write((tx) => account(`acc_beside${round}`, tx))
    await expect(unit).rejects.toMatchObject({ fault: 'constraint' })
    await beside
  }
  const { rows } = await sql<{ id: string }>`select id from accounts`.execute(storage.read)
  expect(new Set(rows.map(({ id }) => id))).toEqual(
    new Set(written.filter((id) => id === 'acc_there' || id.startsWith('acc_beside'))),
  )
})
