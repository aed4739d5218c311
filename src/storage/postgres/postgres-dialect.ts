import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
} from 'kysely'
import type pg from 'pg'
import type { RecentTimes } from '../../runtime/recent-times.ts'
import type { SetAdapter, SetStatements } from '../seam/dialect.ts'
import type { NextLanes } from '../seam/lanes.ts'
import { endPool } from './postgres-client.ts'
import { PostgresConnection, type Prepare } from './postgres-connection.ts'
import { clusterQuery } from './postgres-safety.ts'
import { ColumnTypes, postgresSets } from './postgres-sets.ts'
import { CommonTexts } from './postgres-together.ts'

/** How the transactions of a pool begin. */
export interface TransactionStart {
  /** Returns what takes the locks of a transaction. It runs directly after `begin`, in the same round trip. */
  locks(lanes: readonly number[] | null): string
  /** Set by the writer before each transaction. */
  next: NextLanes
  /** Durations of commits, flush included. */
  flushTimes: RecentTimes
}

/** Kysely over a pool of pg. Errors are `StorageError`s; only a pool with a `start` has transactions. */
export function postgresDialect(
  pool: pg.Pool,
  start: TransactionStart | null = null,
  prepare: Prepare | null = null,
): Dialect {
  const sets = postgresSets(new ColumnTypes())
  const common = new CommonTexts()
  let isContended = false
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => PostgresConnection.open(pool, { prepare, common }),
    beginTransaction: async (connection) => {
      if (start === null) throw new Error('a transaction is a unit of the writer')
      const begun = connection as PostgresConnection
      const { lanes } = start.next
      begun.begin(start.locks(lanes?.lanes ?? null), {
        lanes,
        onLock: (waitedMs) => (isContended = waitedMs > contendedFromMs),
      })
      // While another node holds the lock, units that arrive until it is free share the transaction: worth
      // more than the round trip.
      if (isContended) await begun.hasBegun()
    },
    commitTransaction: async (connection) => {
      const startedMs = performance.now()
      await (connection as PostgresConnection).commit()
      start?.flushTimes.add(performance.now() - startedMs)
    },
    rollbackTransaction: async (connection) => (connection as PostgresConnection).rollback(),
    releaseConnection: async (connection) => (connection as PostgresConnection).release(),
    destroy: () => endPool(pool),
  }
  return {
    createAdapter: () => new SettingPostgresAdapter(sets),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new EmptyListCompiler(),
  }
}

/** A free lock is taken in a tenth of this. */
const contendedFromMs = 1

class SettingPostgresAdapter extends PostgresAdapter implements SetAdapter {
  readonly sets: SetStatements
  readonly snapshotStart = 'begin isolation level repeatable read read only'
  readonly clusterQuery = clusterQuery
  readonly clockQuery = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now'

  constructor(sets: SetStatements) {
    super()
    this.sets = sets
  }
}

/** PostgreSQL rejects `in ()`, which finds nothing on SQLite; `in (null)` finds nothing either. */
class EmptyListCompiler extends PostgresQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    if (node.values.length === 0) this.append('(null)')
    else super.visitPrimitiveValueList(node)
  }
}
