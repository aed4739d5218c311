import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { settings } from '../src/settings/settings.ts'

/** What the benchmarks measured, everything on one machine: server, database and load generator. Null where the page has no such row. */
export interface Measured {
  /** Messages a second from accepted to final, one recipient a request. */
  lifePerSecond: number
  postgresLifePerSecond: number | null
  bytes: BytesPerMessage
}

/** What a delivered message leaves on the disk. */
export interface BytesPerMessage {
  embedded: number
  postgres: number
  postgresLog: number
}

/** What somebody expects, and pays. */
export interface Demand {
  /** Messages a second in the busiest hour. */
  perSecond: number
  /** How many such hours a day would hold all messages of the day. */
  busyHoursADay: number
  retentionDays: number
  /** Of one machine like that of the benchmarks, and of one gigabyte of disk; a month, in any currency. */
  machinePrice: number
  gigabytePrice: number
}

export interface Plan {
  messagesADay: number
  messagesKept: number
  /** Null: more than one machine with the embedded database bears. */
  embedded: Means | null
  /** Null: not measured yet. */
  postgres: (Means & { cells: number; nodes: number; logGigabytesADay: number }) | null
}

interface Means {
  machines: number
  diskGigabytes: number
  costAMonth: number
}

/** At half of what was measured answers come within the bar of row 2 (docs/benchmarks.md), and a burst of twice as much is borne. */
const usableShare = 0.5
/** One may fail or be upgraded. More of them bear no more, because their transactions follow one another. */
const nodesOfCell = 2
/** The one that is written to, and a synchronous replica: what was answered with 202 outlives either. */
const databasesOfCell = 2

/** What an expected rate needs, by what was measured. Pure. Throws a `RangeError` for what is no rate, time or price. */
export function planFor(demand: Demand, measured: Measured): Plan {
  for (const [name, value] of Object.entries(demand))
    if (!Number.isFinite(value) || value < 0 || (name === 'perSecond' && value === 0))
      throw new RangeError(`${name} must be a positive number; it was ${value}.`)
  const { perSecond, busyHoursADay, retentionDays } = demand
  const messagesADay = perSecond * busyHoursADay * 3_600
  const messagesKept = messagesADay * retentionDays
  const cost = (machines: number, gigabytes: number): number =>
    machines * demand.machinePrice + gigabytes * demand.gigabytePrice
  const { lifePerSecond, postgresLifePerSecond, bytes } = measured
  const embeddedDisk = (messagesKept * bytes.embedded) / gigabyte
  const fits = perSecond <= usableShare * lifePerSecond
  const cells =
    postgresLifePerSecond === null ? null : Math.ceil(perSecond / (usableShare * postgresLifePerSecond))
  const postgresDisk = (databasesOfCell * messagesKept * bytes.postgres) / gigabyte
  const machines = (cells ?? 0) * (nodesOfCell + databasesOfCell)
  return {
    messagesADay,
    messagesKept,
    embedded: fits ? { machines: 1, diskGigabytes: embeddedDisk, costAMonth: cost(1, embeddedDisk) } : null,
    postgres:
      cells === null
        ? null
        : {
            cells,
            nodes: cells * nodesOfCell,
            machines,
            diskGigabytes: postgresDisk,
            logGigabytesADay: (messagesADay * bytes.postgresLog) / gigabyte,
            costAMonth: cost(machines, postgresDisk),
          },
  }
}

const gigabyte = 1_000_000_000

/**
 * Reads the table of docs/benchmarks.md, as `npm run bench` writes it. Throws when a row is missing that every run has; those of PostgreSQL and of
 * sizes came later.
 */
export function readMeasured(page: string): Measured {
  const rows = new Map<string, number>()
  for (const [, name = '', value = ''] of page.matchAll(/^\| *\d+ *\| (.+?) *\| ([\d,]+)(?:\/s| B)/gm))
    rows.set(name, Number(value.replaceAll(',', '')))
  const lifePerSecond = rows.get('whole life, one recipient')
  if (lifePerSecond === undefined)
    throw new Error('docs/benchmarks.md has no row "whole life, one recipient".')
  return {
    lifePerSecond,
    postgresLifePerSecond: rows.get('whole life on PostgreSQL, one recipient') ?? null,
    bytes: {
      embedded: find(rows, /^bytes of a .*, embedded database$/) ?? measuredAlone.embedded,
      postgres: find(rows, /^bytes of a .*, PostgreSQL$/) ?? measuredAlone.postgres,
      postgresLog: find(rows, /^bytes of write-ahead log .*, PostgreSQL$/) ?? measuredAlone.postgresLog,
    },
  }
}

const find = (rows: ReadonlyMap<string, number>, name: RegExp): number | undefined =>
  [...rows].find(([key]) => name.test(key))?.[1]

/** `npm run bench -- --rows sizes`, 21 November 2026, on a machine with other work; used as long as the page of a whole run has no such rows. */
export const measuredAlone: BytesPerMessage = { embedded: 1_269, postgres: 3_909, postgresLog: 5_991 }

/** Prices are nobody's: examples, to be replaced. */
export const exampleDemand: Omit<Demand, 'perSecond'> = {
  busyHoursADay: 8,
  retentionDays: settings.recordRetentionDays.default,
  machinePrice: 30,
  gigabytePrice: 0.1,
}

export const readBenchmarks = async (): Promise<Measured> =>
  readMeasured(await readFile(new URL('../docs/benchmarks.md', import.meta.url), 'utf8'))

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'per-second': { type: 'string' },
      'busy-hours': { type: 'string', default: String(exampleDemand.busyHoursADay) },
      'retention-days': { type: 'string', default: String(exampleDemand.retentionDays) },
      'machine-price': { type: 'string', default: String(exampleDemand.machinePrice) },
      'gigabyte-price': { type: 'string', default: String(exampleDemand.gigabytePrice) },
    },
  })
  const demand: Demand = {
    perSecond: Number(values['per-second']),
    busyHoursADay: Number(values['busy-hours']),
    retentionDays: Number(values['retention-days']),
    machinePrice: Number(values['machine-price']),
    gigabytePrice: Number(values['gigabyte-price']),
  }
  const measured = await readBenchmarks()
  console.log(JSON.stringify({ demand, measured, plan: planFor(demand, measured) }, null, 2))
}

if (import.meta.main) await main()
