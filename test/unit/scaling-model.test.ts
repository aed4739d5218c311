import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Demand,
  type Measured,
  measuredAlone,
  planFor,
  readBenchmarks,
  readMeasured,
} from '../../scripts/scaling-model.ts'

const measured: Measured = {
  lifePerSecond: 6_000,
  postgresLifePerSecond: 4_000,
  bytes: { embedded: 1_000, postgres: 2_000, postgresLog: 3_000 },
}
const demand: Demand = {
  perSecond: 1_000,
  busyHoursADay: 10,
  retentionDays: 100,
  machinePrice: 7,
  gigabytePrice: 0.5,
}

test('a thousand messages a second are counted through to disks and cost', () => {
  expect(planFor(demand, measured)).toEqual({
    messagesADay: 36_000_000,
    messagesKept: 3_600_000_000,
    embedded: { machines: 1, diskGigabytes: 3_600, costAMonth: 7 + 1_800 },
    // Of two copies of the database.
    postgres: {
      cells: 1,
      nodes: 2,
      machines: 4,
      diskGigabytes: 14_400,
      logGigabytesADay: 108,
      costAMonth: 28 + 7_200,
    },
  })
})

test('no more than half of what was measured is planned with', () => {
  const at = (perSecond: number) => planFor({ ...demand, perSecond }, measured)
  expect(at(3_000).embedded).not.toBeNull()
  expect(at(3_001).embedded).toBeNull()
  expect([at(2_000).postgres?.cells, at(2_001).postgres?.cells, at(4_001).postgres?.cells]).toEqual([1, 2, 3])
})

test('what was not measured is not planned with', () => {
  expect(planFor(demand, { ...measured, postgresLifePerSecond: null }).postgres).toBeNull()
})

test('more messages never need less of anything', () => {
  const rate = fc.double({ min: 0.01, max: 100_000, noNaN: true })
  fc.assert(
    fc.property(rate, rate, (a, b) => {
      const less = planFor({ ...demand, perSecond: Math.min(a, b) }, measured)
      const more = planFor({ ...demand, perSecond: Math.max(a, b) }, measured)
      expect(more.messagesKept).toBeGreaterThanOrEqual(less.messagesKept)
      for (const key of ['cells', 'nodes', 'machines', 'diskGigabytes', 'logGigabytesADay', 'costAMonth'] as const)
        expect(more.postgres?.[key]).toBeGreaterThanOrEqual(less.postgres?.[key] as number)
      if (less.embedded === null) expect(more.embedded).toBeNull()
    }),
  )
}) // prettier-ignore

test('cells bear at least twice what is asked of them', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 100_000, noNaN: true }), (perSecond) => {
      const { postgres } = planFor({ ...demand, perSecond }, measured)
      expect((postgres?.cells ?? 0) * 4_000).toBeGreaterThanOrEqual(2 * perSecond)
    }),
  )
})

test('what is no rate, time or price is refused', () => {
  expect(() => planFor({ ...demand, perSecond: Number.NaN }, measured)).toThrow('perSecond')
  expect(() => planFor({ ...demand, perSecond: 0 }, measured)).toThrow('perSecond')
  expect(() => planFor({ ...demand, gigabytePrice: -1 }, measured)).toThrow('gigabytePrice')
})

const page = `
| 4   | whole life, one recipient                | 6,788/s messages | 0.13 N | ≥ 0.25 N | MISS |
| 4   | whole life, 100 recipients a request     | 10,826/s messages | 0.22 N | | |
| 13  | whole life on PostgreSQL, one recipient  | 1,234/s messages | 0.1 N | | |
| 14  | bytes of a delivered message with 64 characters, embedded database | 1,111 B | | | |
| 14  | bytes of a delivered message with 64 characters, PostgreSQL | 2,222 B | | | |
| 14  | bytes of write-ahead log of a delivered message with 64 characters, PostgreSQL | 3,333 B | | | |
`

test('the constants come from the rows of the benchmarks', () => {
  expect(readMeasured(page)).toEqual({
    lifePerSecond: 6_788,
    postgresLifePerSecond: 1_234,
    bytes: { embedded: 1_111, postgres: 2_222, postgresLog: 3_333 },
  })
})

test('a page without the rows of PostgreSQL says nothing of its rate', () => {
  const old = page.replaceAll(/^\| 1[34] .*\n/gm, '')
  expect(readMeasured(old)).toEqual({
    lifePerSecond: 6_788,
    postgresLifePerSecond: null,
    bytes: measuredAlone,
  })
})

test('a page without a rate is no page of benchmarks', () => {
  expect(() => readMeasured('# Benchmarks')).toThrow('whole life, one recipient')
})

test('the page that is committed can be read', async () => {
  const { lifePerSecond, bytes } = await readBenchmarks()
  expect(lifePerSecond).toBeGreaterThan(100)
  expect(Math.min(...Object.values(bytes))).toBeGreaterThan(100)
})
