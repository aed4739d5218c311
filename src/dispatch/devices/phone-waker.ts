import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../process/log.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { selectEach } from '../../storage/seam/sets.ts'
import type { Route } from '../routes/candidate.ts'
import { mayFetch } from '../routes/choose-device.ts'
import type { DevicePool } from './device-pool.ts'

interface PhoneWakerDeps {
  read: Db
  clock: Pick<Clock, 'monotonicMs'>
  log: Log
  pool: Pick<DevicePool, 'candidatesFor' | 'get' | 'routes'>
}

const waitingOf = {
  sql: 'select account_id, route_key, messages from queue_totals where account_id = :account and mode = :mode and route_key = :route and messages > 0',
  inputs: ['account', 'mode', 'route'],
} as const

/**
 * Wakes as many phones as messages are queued, the longest unwoken first: one message wakes one phone, a
 * thousand wake a thousand. If a phone does not come, the next poll wakes another. What is queued is shared
 * out when they come.
 */
export class PhoneWaker {
  readonly #deps: PhoneWakerDeps
  readonly #calledMs = new Map<string, number>()
  #routes = new Map<string, Route>()
  #isCalling = false

  constructor(deps: PhoneWakerDeps) {
    this.#deps = deps
  }

  /** Wakes phones for these routes. Only an optimisation: phones also poll by themselves. */
  call(routes: readonly Route[]): void {
    for (const route of routes) this.#routes.set(`${route.accountId}/${route.routeKey}`, route)
    if (this.#routes.size === 0) return
    if (this.#isCalling) return
    this.#isCalling = true
    void this.#run()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'failed to wake phones; the next poll retries'),
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
    const way = pool.routes.wayOf(route)
    if (way === null) return
    const devices = pool.candidatesFor(route)
    const nowMs = clock.monotonicMs()
    const able = devices
      .filter((device) => device.fetches && device.health !== 'offline' && device.free > 0)
      .filter((device) => mayFetch(device, route, devices, way))
      .map((device) => ({ device, calledMs: this.#calledMs.get(device.id) ?? Number.NEGATIVE_INFINITY }))
      .toSorted((a, b) => a.calledMs - b.calledMs)
    for (const { device } of able.slice(0, messages)) {
      this.#calledMs.set(device.id, nowMs)
      pool.get(device.id)?.wake()
    }
  }
}
