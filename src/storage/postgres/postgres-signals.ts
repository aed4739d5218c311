import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { readAddress } from './postgres-address.ts'
import type { PostgresSettings } from './postgres-client.ts'
import type { Signals, SignalsListener } from '../seam/signals.ts'

const channel = 'onesixty'
const reconnectMs = 1_000
/**
 * A connection that only listens notices neither a lost network nor a hung server, so it is probed at this
 * interval.
 */
const probeEveryMs = 5_000
/** Timeout of this probe and of any other response. */
const responseTimeoutMs = 2_000

/** LISTEN and NOTIFY on one connection, which is reconnected when it breaks or stops responding. */
export class PostgresSignals implements Signals {
  readonly #settings: PostgresSettings
  #client: pg.Client | null = null
  #on: SignalsListener | null = null
  #retry: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(settings: PostgresSettings) {
    this.#settings = settings
  }

  get isListening(): boolean {
    return this.#client !== null
  }

  async send(payload: string): Promise<boolean> {
    const client = this.#client
    if (client === null) return false
    try {
      await client.query('select pg_notify($1, $2)', [channel, payload])
      return true
    } catch {
      this.#lost(client)
      return false
    }
  }

  async listen(on: SignalsListener): Promise<void> {
    this.#on = on
    await this.#connect()
    if (this.#client === null) on.lost()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    const client = this.#client
    this.#client = null
    if (client === null) return
    // A hung connection does not confirm its end.
    const timer = new AbortController()
    const ended = client.end().catch(() => undefined)
    await Promise.race([
      ended,
      wait(responseTimeoutMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined),
    ])
    timer.abort()
  }

  async #connect(): Promise<void> {
    const { url, applicationName, connectTimeoutMs, statementTimeoutMs } = this.#settings
    const client = new pg.Client({
      ...readAddress(url),
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      query_timeout: responseTimeoutMs,
      keepAlive: true,
      // A response that does not arrive then closes the connection.
      pipeline: true,
    })
    // While it connects, its promise reports errors.
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload = '' }) => this.#on?.heard(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch {
      abandon(client)
      return this.#reconnectLater()
    }
    if (this.#isClosed) return abandon(client)
    this.#client = client
    this.#probeLater(client)
    this.#on?.missed()
  }

  #probeLater(client: pg.Client): void {
    const timer = setTimeout(() => {
      if (this.#client !== client) return
      client.query('select 1').then(
        () => this.#probeLater(client),
        () => this.#lost(client),
      )
    }, probeEveryMs)
    timer.unref()
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    abandon(client)
    this.#on?.lost()
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => void this.#connect(), reconnectMs)
    this.#retry.unref()
  }
}

/** Ends a connection without waiting. */
function abandon(client: pg.Client): void {
  client.end().catch(() => undefined)
}
