import { expect, test } from 'vitest'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { RouteBook } from '../../src/dispatch/routes/route-book.ts'
import { createIds } from '../../src/runtime/ids.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import { createStubClock } from '../stub-clock.ts'

type Resolved = ReturnType<RouteBook['resolve']>

test('beyond 64 ways of an account weights are not drawn: the devices are taken as listed, which is said once', () => {
  const said: object[] = []
  const clock = createStubClock()
  const log = { warn: (about: object) => said.push(about) } as never
  const book = new RouteBook({ read: null as unknown as Db, clock, log })
  const ids = createIds({ now: clock.now })
  const even = (kind: string) => Array.from({ length: 8 }, (_, i) => `dev_${kind}${i}*1`).join()
  const resolved = [`${even('a')}; ${even('b')}`, even('c')].map((way) => {
    const choice = { stages: readWay(way), not: [] } as never
    return Array.from({ length: 2_000 }, () => book.resolve(choice, 'acc_a', ids('msg')))
  })
  const [first, second] = resolved.map((ways) => new Set(ways)) as [Set<Resolved>, Set<Resolved>]
  expect(first.size).toBe(64)
  expect([...second].map(({ way }) => way.stages[0]?.by)).toEqual(['listed'])
  expect(said).toEqual([{ account_id: 'acc_a', ways: 64 }])
})
