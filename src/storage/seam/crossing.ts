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
 * Kysely over a dialect whose connections take statements while others of the same transaction are under way, and answer in order. Kysely itself lets
 * each statement of a transaction wait for the answer to the one before: eleven round trips for the eleven statements of an accept on
 * PostgreSQL, where these are two.
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

/** Kysely gives a transaction its connection by this method, behind a provider that serves one statement at a time. */
class CrossingExecutor extends DefaultQueryExecutor {
  override withConnectionProvider(provider: ConnectionProvider): DefaultQueryExecutor {
    return super.withConnectionProvider(new CrossingProvider(provider))
  }
}

/** Asks for the connection once, and lends it to everybody at once. */
class CrossingProvider implements ConnectionProvider {
  readonly #connection: Promise<DatabaseConnection>

  constructor(provider: ConnectionProvider) {
    this.#connection = provider.provideConnection(async (connection) => connection)
  }

  async provideConnection<T>(use: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return use(await this.#connection)
  }
}
