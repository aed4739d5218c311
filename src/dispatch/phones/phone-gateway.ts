import { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../process/log.ts'
import type { Claimed, ClaimRequest } from '../../messages/queue/claim-messages.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { offeredSince } from '../../messages/phones/phone-offers.ts'
import {
  countUnacknowledged,
  type OfferedMessage,
  readOffers,
  touchOffers,
} from '../../messages/phones/read-offers.ts'
import { countUnfinishedOffers, readUnfinishedOffers } from '../../messages/phones/unfinished-offers.ts'
import type { Metrics } from '../../process/metrics.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { anotherIn } from '../submissions/another-device.ts'
import type { Candidate, Route } from '../routes/candidate.ts'
import { hasHealthyAlternative } from '../routes/choose-device.ts'
import { planFetch, quotasTogether } from '../routes/plan-claims.ts'
import { usualNow } from '../routes/walk-way.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { CanarySenders } from '../devices/canary-senders.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { DispatchUnits } from '../submissions/dispatch-units.ts'
import { type FetchedRoute, FetchTurns } from './fetch-turns.ts'
import { offerRuns, settleRuns, splitReports } from './phone-canaries.ts'
import type { JudgeFailure, PhoneReport } from './phone-report.ts'
import { settleReports } from './phone-reports.ts'
import { routeFrom } from '../routes/route-ring.ts'
import type { UnparsedNotes } from '../devices/unparsed-notes.ts'

interface PhoneGatewayDeps {
  read: Db
  writer: Writer
  claim: DispatchUnits['claim']
  clock: Clock
  log: Log
  metrics: Metrics
  pool: DevicePool
  /** The fencing token of this process. */
  fence: number
  node?: { isAlone: boolean }
  /** See `Dispatcher.dueNow`. */
  dueNow: () => number
  /** Called when a route may have something to send again. */
  wake: (route: Route) => void
  judgeFailure: JudgeFailure
  /** Omitted: no device sends any. */
  canaries?: Pick<CanarySenders, 'has'>
  /** Receives reports that match no attempt. */
  unparsed?: Pick<UnparsedNotes, 'note'>
}

/** A phone that asks for messages. */
export interface AskingPhone {
  phoneId: string
  deviceId: string
  /** See `readOffers`. */
  hangsAfterMs: number
}

/** Page size for a device that does not run; for others it is their window. */
const pageSize = 20
/** Rounds of claims for one page. */
const maxRounds = 4
const maxReports = 500

/**
 * Where phones fetch their messages and report on them. A message is claimed only when its phone asks: until
 * then any device may have it. A claimed message is offered under the same ID until the phone acknowledges
 * it.
 */
export class PhoneGateway {
  readonly #deps: PhoneGatewayDeps
  readonly #reports: Batcher<PhoneReport, boolean | null>
  readonly #asking = new Map<string, Promise<unknown>>()
  readonly #paced = new WeakSet<DeviceRuntime>()
  readonly #turns: FetchTurns

  constructor(deps: PhoneGatewayDeps) {
    this.#deps = deps
    this.#turns = new FetchTurns(deps)
    this.#reports = new Batcher((take) => this.#storeReports(take()), { maxWeight: maxReports })
  }

  /** Returns the messages for the phone, flushed. One request of a phone runs at a time, however many it makes. */
  async offer(phone: AskingPhone): Promise<OfferedMessage[]> {
    const before = this.#asking.get(phone.deviceId) ?? Promise.resolve()
    const asking = before.catch(() => undefined).then(() => this.#offer(phone))
    this.#asking.set(phone.deviceId, asking)
    try {
      return await asking
    } finally {
      if (this.#asking.get(phone.deviceId) === asking) this.#asking.delete(phone.deviceId)
    }
  }

  /** Stores the reports. Settles with those that changed something; rejects when they could not be stored. */
  async report(all: readonly PhoneReport[]): Promise<PhoneReport[]> {
    const reports = await this.#withoutRuns(all)
    const haveChanged = await Promise.all(reports.map((report) => this.#reports.add(report)))
    for (const [i, { deviceId, state }] of reports.entries())
      if (haveChanged[i] === null)
        this.#deps.unparsed?.note(deviceId, 'report', `${state}, of no message that it was given`)
    return reports.filter((_, i) => haveChanged[i])
  }

  /** Stores what is reported of canaries, which are no messages; returns the other reports. */
  async #withoutRuns(reports: readonly PhoneReport[]): Promise<readonly PhoneReport[]> {
    const { read, writer, clock, judgeFailure, canaries } = this.#deps
    if (!reports.some(({ deviceId }) => canaries?.has(deviceId))) return reports
    const { ofRuns, others } = await splitReports(read, reports)
    if (ofRuns.length > 0)
      await writer.write((tx) => settleRuns(tx, ofRuns, { nowMs: clock.now(), judgeFailure }))
    return others
  }

  /** Returns whether more is queued for the phone than it was given, and it may have it now. */
  async hasMore(deviceId: string): Promise<boolean> {
    const device = this.#deps.pool.get(deviceId)
    return device !== null && (await this.#turns.routesFor(device)).share > 0
  }

  async #offer(phone: AskingPhone): Promise<OfferedMessage[]> {
    const { read, writer, clock, pool } = this.#deps
    const device = pool.get(phone.deviceId)
    const askedAtMs = clock.now()
    if (device !== null) {
      await this.#resumePace(device)
      await this.#claim(device, phone, await this.#roomOf(device, phone))
    }
    const nowMs = clock.now()
    const offers = await readOffers(read, {
      ...phone,
      askedAtMs,
      nowMs,
      most: device?.link.window ?? pageSize,
    })
    // Nothing is sent by a disabled device, even before it has been recalled.
    if (device === null) return offers.filter(({ state }) => state === 'cancelling')
    const again = offers.filter(({ isAgain }) => isAgain)
    if (again.length > 0) await writer.write((tx) => touchOffers(tx, again, nowMs))
    if (this.#deps.canaries?.has(phone.deviceId) !== true) return offers
    return [...(await offerRuns({ read, writer }, device.facts, nowMs)), ...offers]
  }

  /**
   * The number of messages for this page: offers that are not acknowledged count. A half-open phone gets one
   * message, and the next when that one is final.
   */
  async #roomOf(device: DeviceRuntime, phone: AskingPhone): Promise<number> {
    const { read, clock } = this.#deps
    const nowMs = clock.now()
    const asking = { ...phone, nowMs }
    const room = device.link.window - (await countUnacknowledged(read, asking))
    const spanMs = device.trust.distrustedForMs
    if (spanMs === null) return room
    // The breaker is open; it may become half open before the claim.
    if (device.trust.state() === 'open') return 0
    const unended = await readUnfinishedOffers(read, { ...asking, spanMs })
    device.countedUnreported(
      unended.map(({ attemptId, offeredAt }) => {
        const waitedMs = Math.max(0, nowMs - offeredAt)
        return { attemptId, waitsForMs: phone.hangsAfterMs - waitedMs }
      }),
    )
    return Math.min(1, room)
  }

  /** Restores the used rate limit: a restart gives a phone no new window. */
  async #resumePace(device: DeviceRuntime): Promise<void> {
    const { pace, id } = device.facts
    // What other nodes gave it counts too: with peers the database is asked each time.
    if (pace === null || (this.#paced.has(device) && this.#deps.node?.isAlone !== false)) return
    this.#paced.add(device)
    const { read, clock } = this.#deps
    const nowMs = clock.now()
    const offered = await offeredSince(read, id, nowMs - pace.windowSeconds * 1_000)
    const toMonotonicMs = clock.monotonicMs() - nowMs
    device.resumePace(
      offered.map(({ sim, parts, firstAtMs }) => ({
        sim,
        used: parts,
        startedMs: toMonotonicMs + Math.min(nowMs, firstAtMs),
      })),
    )
  }

  /**
   * Fills a page from the routes in turn; what one round leaves goes to the others in the next. All rounds
   * together give at most the share of the first: otherwise each of many phones that ask at the same instant
   * would take another share.
   */
  async #claim(device: DeviceRuntime, phone: AskingPhone, room: number): Promise<void> {
    const { clock, claim, dueNow, fence, metrics, pool } = this.#deps
    let left = room
    for (let round = 0; round < maxRounds && left > 0; round++) {
      const self = pool.elsewhere.askingOf(device)
      const maxParts = device.throughput()?.remaining ?? Number.MAX_SAFE_INTEGER
      if (maxParts === 0) return
      const { routes, share } = await this.#turns.routesFor(device)
      if (round === 0) left = Math.min(left, share)
      const free = Math.min(left, maxParts, share, self.isDoubted ? self.free : left)
      if (free === 0) return
      const requests = await this.#plan(device, routes, { ...self, health: 'online', fetches: false, free })
      const last = requests.at(-1)
      if (last === undefined) return
      this.#turns.served(device, last)
      const routeOf = new Map(routes.map((route) => [`${route.accountId}/${route.routeKey}`, route]))
      const nowMs = clock.now()
      const made = await claim({
        requests: requests.map((request) => ({
          ...request,
          phone: {
            phoneId: phone.phoneId,
            sims: device.roomsFor(
              routeOf.get(`${request.accountId}/${request.routeKey}`) ?? { sender: null },
            ),
          },
          maxParts: Math.max(1, Math.floor(maxParts / requests.length)),
        })),
        nowMs,
        dueMs: dueNow(),
        fence,
      })
      pool.plans.claimed(made)
      const { claimed } = made
      if (claimed.length === 0) pool.plans.rest(device.facts.id)
      for (const { attemptId, sim = null, parts } of claimed) {
        device.fetched({ attemptId, sim, parts, waitsForMs: phone.hangsAfterMs })
        metrics.submitted('offered')
      }
      // What is queued may not be due yet; other routes may be.
      if (claimed.length === 0 && requests.length === routes.length) return
      left -= claimed.length
    }
  }

  /**
   * Of what another healthy device could carry, a phone holds at most what a new fault may cost: it sends one
   * message at a time, and the rest wait for it.
   */
  async #plan(
    device: DeviceRuntime,
    routes: readonly FetchedRoute[],
    self: Candidate,
  ): Promise<ClaimRequest[]> {
    const { pool, read, clock } = this.#deps
    const { facts } = device
    const seen = new Map<string, boolean>()
    const hasOthers = (route: Route): boolean => {
      const { sender, encodingForced, avoids, excludes = [] } = route
      const name = `${route.way ?? ''}/${sender ?? ''}/${encodingForced}/${avoids}/${excludes.join()}`
      const way = pool.routes.wayOf(route) ?? usualNow
      const isSeen = seen.get(name) ?? hasHealthyAlternative(self, route, pool.candidates(route), way)
      seen.set(name, isSeen)
      return isSeen
    }
    const shared = self.isDoubted ? [] : routes.filter(hasOthers)
    if (shared.length === 0) return planFetch(routes, self)
    const counts = await countUnfinishedOffers(read, [facts.id], {
      nowMs: clock.now(),
      most: device.held.most,
    })
    device.held.counted(counts.get(facts.id) ?? 0)
    const alone = routes.filter((route) => !shared.includes(route))
    const requests = planFetch(alone, self)
    const left = self.free - quotasTogether(requests)
    return [...requests, ...planFetch(shared, { ...self, free: Math.min(left, device.held.left) })]
  }

  async #storeReports(reports: readonly PhoneReport[]): Promise<(boolean | null)[]> {
    const { writer, clock, dueNow, metrics, pool, judgeFailure } = this.#deps
    const dueFromMs = dueNow()
    const { reported, statuses, haveChanged } = await writer.write(async (tx) =>
      settleReports(tx, await takeChange(tx, clock.now()), reports, {
        dueFromMs,
        judgeFailure,
        another: anotherIn(pool),
      }),
    )
    for (const status of statuses) metrics.advanced(status)
    for (const { deviceId, outcome, status, claimed, routeKey } of reported) {
      metrics.submitted(outcome.kind)
      pool.get(deviceId)?.recordReport(claimed.attemptId, outcome)
      if (status === 'queued') this.#wake(claimed, routeKey)
    }
    return haveChanged
  }

  /** Another device may have it immediately; one that has to wait is found by the poll. */
  #wake({ accountId, mode }: Claimed, routeKey: string): void {
    this.#deps.wake(routeFrom({ account_id: accountId, mode, route_key: routeKey }))
  }
}
