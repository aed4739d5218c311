import { expect, test } from 'vitest'
import { openServed } from './served-storage.ts'

/** Of the statement time-out, a second of grace, and room for a slow machine. */
const deadlineMs = 5_000

const account = (id: string) => ({ id, name: id, state: 'active' as const, created_at: 0, updated_at: 0 })

const within = async (run: Promise<unknown>): Promise<unknown> => {
  const startedMs = performance.now()
  const outcome = await run.catch((error: unknown) => error)
  expect(performance.now() - startedMs).toBeLessThan(deadlineMs)
  return outcome
}

test('behind a way that swallows everything reads, reads for accounts and writes are told so, and work again when the way is back', async () => {
  const { storage, proxy } = await openServed()
  const reads = [storage.read, storage.readOf('acc_a')].map(
    (db) => () => db.selectFrom('accounts').select('id').execute(),
  )
  const write = () =>
    storage.writer.write((tx) => tx.insertInto('accounts').values(account('acc_b')).execute())
  for (const read of reads) expect(await read()).toEqual([])
  proxy.halfOpen({ forMs: 60_000 })
  const told = await Promise.all([...reads, write].map((run) => within(run())))
  for (const outcome of told) expect(outcome).toMatchObject({ fault: 'unavailable' })
  proxy.heal()
  for (const read of reads) expect(await read()).toEqual([])
  await write()
})

test('of a COMMIT whose answer was swallowed the server is asked: what it has stored is stored', async () => {
  const { storage, proxy } = await openServed()
  const write = storage.writer.write(async (tx) => {
    await tx.insertInto('accounts').values(account('acc_a')).execute()
    proxy.halfOpen({ forMs: 60_000, direction: 'toClient', newOnes: 'work' })
    return 'stored'
  })
  expect(await within(write)).toBe('stored')
  proxy.heal()
  expect(await storage.read.selectFrom('accounts').select('id').execute()).toEqual([{ id: 'acc_a' }])
})
