import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../process/log.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import { mayFetch, type Route } from '../routes/choose-device.ts'
import type { DevicePool } from './device-pool.ts'

interface PhoneCallerDeps {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
  log: Log
  pool: Pick<DevicePool, 'candidatesFor' | 'get'>
}

const waitingOf = {
  sql: 'select account_id, route_key, messages from queue_totals where account_id = :account and mode = :mode and route_key = :route and messages > 0',
  inputs: ['account', 'mode', 'route'],
} as const

/**
 * Wakes as many phones as messages wait, whoever was called longest ago first: one message wakes one phone, a thousand wake a thousand, and
 * a phone that does not come is followed by another at the next poll. What waits is shared when they come.
 */
export class PhoneWaker {
  readonly #deps: PhoneCallerDeps
  readonly #calledMs = new Map<string, number>()
  #routes = new Map<string, Route>()
  #isCalling = false

  constructor(deps: PhoneCallerDeps) {
    this.#deps = deps
  }

  /** Something waits on these routes for devices that fetch. Only an optimisation: phones ask by themselves too. */
  call(routes: readonly Route[]): void {
    for (const route of routes) this.#routes.set(`${route.accountId}/${route.routeKey}`, route)
    if (this.#routes.size === 0) return
    if (this.#isCalling) return
    this.#isCalling = true
    void this.#run()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'phones could not be woken; the next poll tries again'),
      )
      .finally(() => (this.#isCalling = false))
  }

  async #run(): Promise<void> {
    while (this.#routes.size > 0) {
      const routes = this.#routes
      this.#routes = new Map()
      const inputs = [...routes.values()].map((route) => [route.accountId, route.mode, route.routeKey])
      const rows = await selectEach<{ account_id: string; route_key: string; messages: number }>(
        this.#deps.read,
        waitingOf,
        inputs,
      )
      for (const { account_id: accountId, route_key: routeKey, messages } of rows) {
        const route = routes.get(`${accountId}/${routeKey}`)
        if (route !== undefined) this.#wake(route, messages)
      }
    }
  }

  #wake(route: Route, messages: number): void {
    const { pool, clock } = this.#deps
    const devices = pool.candidatesFor(route)
    const nowMs = clock.monotonicMs()
    const able = devices
      .filter((device) => device.fetches && device.health !== 'offline' && device.free > 0)
      .filter((device) => mayFetch(device, route, devices))
      .map((device) => ({ device, calledMs: this.#calledMs.get(device.id) ?? Number.NEGATIVE_INFINITY }))
      .toSorted((a, b) => a.calledMs - b.calledMs)
    for (const { device } of able.slice(0, messages)) {
      this.#calledMs.set(device.id, nowMs)
      pool.get(device.id)?.wake()
    }
  }
}
