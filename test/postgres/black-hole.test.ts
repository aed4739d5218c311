import { expect, test } from 'vitest'
import { openServed } from './served-storage.ts'

/** Longer than the tests may take: whoever waits for the way to come back has no end. */
const forMs = 600_000

const account = (id: string) => ({ id, name: id, state: 'active' as const, created_at: 0, updated_at: 0 })

test('behind a way that swallows everything reads, reads for accounts and writes are told so, and work again when the way is back', async () => {
  const { storage, proxy } = await openServed()
  const reads = [storage.read, storage.readOf('acc_a')].map(
    (db) => () => db.selectFrom('accounts').select('id').execute(),
  )
  const write = () =>
    storage.writer.write((tx) => tx.insertInto('accounts').values(account('acc_b')).execute())
  for (const read of reads) expect(await read()).toEqual([])
  proxy.halfOpen({ forMs })
  const asked = [...reads, write].map((run) => expect(run()).rejects.toMatchObject({ fault: 'unavailable' }))
  await Promise.all(asked)
  proxy.heal()
  for (const read of reads) expect(await read()).toEqual([])
  await write()
})

test('of a COMMIT whose answer was swallowed the server is asked: what it has stored is stored', async () => {
  const { storage, proxy } = await openServed()
  const write = storage.writer.write(async (tx) => {
    await tx.insertInto('accounts').values(account('acc_a')).execute()
    proxy.halfOpen({ forMs, direction: 'toClient', newOnes: 'work' })
    return 'stored'
  })
  expect(await write).toBe('stored')
  proxy.heal()
  expect(await storage.read.selectFrom('accounts').select('id').execute()).toEqual([{ id: 'acc_a' }])
})
