import { expect, test } from 'vitest'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { FetchTurns } from '../../src/dispatch/phones/fetch-turns.ts'
import { RouteBook } from '../../src/dispatch/routes/route-book.ts'
import { createLog } from '../../src/process/log.ts'
import { openDeskHouse } from './gateway-fixture.ts'

test('a phone that asks a node that has not met a way yet gets what waits on it, at once', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const { storage, clock, pool } = house
  await storage.writer.write(async (tx) => {
    const stages = JSON.stringify({ stages: readWay('own; shared') })
    await tx.insertInto('ways').values({ id: 'way_a', stages, created_at: clock.now() }).execute()
    const waiting = {
      account_id: 'acc_a',
      mode: 'live',
      route_key: 'live~way_a:',
      messages: 1,
      parts: 1,
      next_expiry_at: clock.now() + 60_000,
    } as const
    await tx.insertInto('queue_totals').values(waiting).execute()
  })
  const log = createLog('silent', { write: () => undefined })
  const turns = new FetchTurns({
    read: storage.read,
    clock,
    pool: {
      get: (id) => pool.get(id),
      ownedBy: (owner, mode) => pool.ownedBy(owner, mode),
      candidates: (route) => pool.candidates(route),
      isFrozen: (accountId) => pool.isFrozen(accountId),
      elsewhere: pool.elsewhere,
      routes: new RouteBook({ read: storage.read, clock, log }),
    },
  })
  const device = pool.get(phone.deviceId)
  expect(await turns.routesFor(device!)).toMatchObject({ routes: [{ way: 'way_a', why: 'first' }], share: 1 })
})
