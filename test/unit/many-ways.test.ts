import { expect, test } from 'vitest'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { RouteBook } from '../../src/dispatch/routes/route-book.ts'
import { createIds } from '../../src/runtime/ids.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import { createStubClock } from '../stub-clock.ts'

type Resolved = ReturnType<RouteBook['resolve']>

const even = (kind: string): string => Array.from({ length: 8 }, (_, i) => `dev_${kind}${i}*1`).join()

/** A book, what it says, and the ways of 2,000 messages on each of these. */
function resolveAll(ways: readonly string[]): { said: object[]; resolved: Set<Resolved>[] } {
  const said: object[] = []
  const clock = createStubClock()
  const log = { warn: (about: object) => said.push(about) } as never
  const book = new RouteBook({ read: null as unknown as Db, clock, log })
  const ids = createIds({ now: clock.now })
  const resolved = ways.map((way) => {
    const choice = { stages: readWay(way), not: [] } as never
    return new Set(Array.from({ length: 2_000 }, () => book.resolve(choice, 'acc_a', ids('msg'))))
  })
  return { said, resolved }
}

test('beyond 64 ways of an account weights are not drawn: the devices are taken as listed, which is said once', () => {
  const { said, resolved } = resolveAll([`${even('a')}; ${even('b')}`, even('c')])
  const [first, second] = resolved as [Set<Resolved>, Set<Resolved>]
  expect(first.size).toBe(64)
  expect([...second].map(({ way }) => way.stages[0]?.by)).toEqual(['listed'])
  expect(said).toEqual([{ account_id: 'acc_a', ways: 64 }])
})

test('a rule that draws nothing takes its one way beyond 64, and nothing is said of it', () => {
  const { said, resolved } = resolveAll([`${even('a')}; ${even('b')}`, 'own; shared'])
  expect(resolved[0]?.size).toBe(64)
  expect([...(resolved[1] as Set<Resolved>)].map(({ way }) => way.stages.map(({ by }) => by))).toEqual([
    [undefined, undefined],
  ])
  expect(said).toEqual([])
})
