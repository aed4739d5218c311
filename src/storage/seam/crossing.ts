import {
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type ConnectionProvider,
  type DatabaseConnection,
  type Dialect,
  Kysely,
} from 'kysely'
import type { Db } from './dialect.ts'
import type { Database } from '../tables/schema.ts'

/**
 * Creates a Kysely that pipelines the statements of a transaction; responses arrive in order. Kysely itself
 * delays each statement of a transaction until the response to the previous one: eleven round trips for the
 * eleven statements of an accept on PostgreSQL, instead of two.
 */
export function openCrossing(dialect: Dialect): Db {
  const driver = dialect.createDriver()
  const executor = new CrossingExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    new DefaultConnectionProvider(driver),
  )
  return new Kysely<Database>({ config: { dialect }, dialect, driver, executor })
}

/**
 * Kysely passes a transaction its connection by this method, inside a provider that serves one statement at a
 * time.
 */
class CrossingExecutor extends DefaultQueryExecutor {
  override withConnectionProvider(provider: ConnectionProvider): DefaultQueryExecutor {
    return super.withConnectionProvider(new CrossingProvider(provider))
  }
}

/** Requests the connection once, and lends it to all statements at the same time. */
class CrossingProvider implements ConnectionProvider {
  readonly #connection: Promise<DatabaseConnection>

  constructor(provider: ConnectionProvider) {
    this.#connection = provider.provideConnection(async (connection) => connection)
  }

  async provideConnection<T>(use: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return use(await this.#connection)
  }
}
