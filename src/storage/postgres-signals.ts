import pg from 'pg'
import type { PostgresSettings } from './postgres-client.ts'
import type { Signals } from './signals.ts'

const channel = 'onesixty'
const reconnectMs = 1_000

/** LISTEN and NOTIFY on one connection, which is made anew when it breaks. */
export class PostgresSignals implements Signals {
  readonly #settings: PostgresSettings
  #client: pg.Client | null = null
  #on: { heard: (word: string) => void; missed: () => void } | null = null
  #retry: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(settings: PostgresSettings) {
    this.#settings = settings
  }

  async send(word: string): Promise<void> {
    await this.#client?.query('select pg_notify($1, $2)', [channel, word]).catch(() => undefined)
  }

  async listen(on: { heard: (word: string) => void; missed: () => void }): Promise<void> {
    this.#on = on
    await this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const { url, applicationName, connectTimeoutMs, statementTimeoutMs } = this.#settings
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      keepAlive: true,
    })
    let isLost = false
    const lost = (): void => {
      if (isLost) return
      isLost = true
      if (this.#client === client) this.#client = null
      void client.end().catch(() => undefined)
      this.#tryAgain()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload = '' }) => this.#on?.heard(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch {
      return lost()
    }
    if (this.#isClosed) return lost()
    this.#client = client
    this.#on?.missed()
  }

  #tryAgain(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => void this.#connect(), reconnectMs)
    this.#retry.unref()
  }
}
