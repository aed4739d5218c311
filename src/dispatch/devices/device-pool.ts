import { BoundedMap } from '../../runtime/bounded-map.ts'
import { isPull } from '../../connectors/connector.ts'
import type { LastSession } from '../../connectors/connector-tools.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { RemoteDeviceReport } from '../../devices/status/remote-device-report.ts'
import { PlanStates, type PlanStatesDeps } from '../rates/plan-states.ts'
import { DisabledPhones } from './disabled-phones.ts'
import { readDirectoryVersion } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import type { Candidate, Route } from '../routes/candidate.ts'
import { RouteBook } from '../routes/route-book.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { type DeviceRow, DeviceSlot, type DeviceSlotDeps, HeldElsewhere } from './device-slot.ts'
import { RemoteDevices } from './remote-devices.ts'
import { knownOf, type RoutedDevice, servedBy } from './routed-device.ts'

export interface DevicePoolDeps extends DeviceSlotDeps, Pick<PlanStatesDeps, 'planKey'> {
  /** Called after the running devices changed. */
  changed: () => void
  reloadIntervalMs: number
  times?: Times
}

/** When a device that failed to start is retried: a busy database or an absent peer may have recovered. */
const retryMs = 30_000
/** How many devices start at the same time: thousands must not open their sockets in one instant. */
const startsAtOnce = 50
/** A slower start continues in the background; the next devices and the next reload do not wait for it. */
const startWaitMs = 1_000
/** How many devices keep the record of their last session, disabled and removed ones included. */
const maxLastSessions = 10_000

/** Runs the enabled devices, each with its connector. Follows the tables within 1 s, whichever process changed them. */
export class DevicePool implements Service {
  readonly #deps: DevicePoolDeps
  readonly #slots = new Map<string, DeviceSlot>()
  #byAccount = new Map<string, DeviceRuntime[]>()
  readonly #stopping = new Map<string, { slot: DeviceSlot; done: Promise<void> }>()
  readonly #resting = new DisabledPhones()
  readonly elsewhere: RemoteDevices
  /** Over which devices what is queued goes, and in which order. */
  readonly routes: RouteBook
  readonly plans: PlanStates
  readonly #lastSessions = new BoundedMap<LastSession>(maxLastSessions)
  #frozen: ReadonlySet<string> = new Set()
  #version = -1
  #retryAtMs = Number.POSITIVE_INFINITY
  #cancelTimer: () => void = () => undefined
  #reloading: Promise<void> = Promise.resolve()
  #nextReload: Promise<void> | null = null
  #stopped = false

  constructor(deps: DevicePoolDeps) {
    this.#deps = deps
    this.elsewhere = new RemoteDevices(deps)
    this.routes = new RouteBook(deps)
    this.plans = new PlanStates(deps)
  }

  async start(): Promise<void> {
    await this.reloadIfChanged()
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer()
    this.#releaseResting(new Set())
    // First all that run or start, to await no slow start; then those that a running reload has added.
    for (const id of this.#slots.keys()) this.#release(id)
    await this.#reloading
    this.#releaseResting(new Set())
    for (const id of this.#slots.keys()) this.#release(id)
    await Promise.all([...this.#stopping.values()].map(({ done }) => done))
  }

  get all(): DeviceRuntime[] {
    return [...this.#slots.values()].flatMap(({ runtime }) => runtime ?? [])
  }

  /** Enabled devices that this node can report: those that run, or whose former link is still stopping. */
  get reported(): DeviceRuntime[] {
    return [...this.#slots].flatMap(([id, slot]) => this.#runtimeOrLeaving(id, slot) ?? [])
  }

  /** Enabled devices that run on no node: they are starting, or could not be started. */
  get absent(): string[] {
    return [...this.#slots].flatMap(([id, slot]) =>
      this.#runtimeOrLeaving(id, slot) === null && !this.elsewhere.has(id) ? [id] : [],
    )
  }

  #runtimeOrLeaving(deviceId: string, { runtime, leaving }: DeviceSlot): DeviceRuntime | null {
    return runtime ?? leaving ?? this.#stopping.get(deviceId)?.slot.leaving ?? null
  }

  get(deviceId: string): DeviceRuntime | null {
    return this.#slots.get(deviceId)?.runtime ?? null
  }

  /** Asks a phone to drop an attempt, also while its device is disabled. */
  recall(deviceId: string, attemptId: string): void {
    const link = this.get(deviceId)?.link
    if (link === undefined) this.#resting.recall(deviceId, attemptId)
    else if (isPull(link)) link.recall(attemptId)
  }

  /** The devices that an account may use in a mode: its own and the shared ones. */
  forAccount(accountId: string, mode: Mode): DeviceRuntime[] {
    return [...this.ownedBy(accountId, mode), ...this.ownedBy(null, mode)]
  }

  /** Only an account's own devices, or with null only the shared ones. */
  ownedBy(accountId: string | null, mode: Mode): readonly DeviceRuntime[] {
    return this.#byAccount.get(servedBy({ accountId, mode })) ?? []
  }

  /** Returns whether queued messages of the account must not be sent. */
  isFrozen(accountId: string): boolean {
    return this.#frozen.has(accountId)
  }

  /** The devices of `forAccount`, and those that other nodes run for the account. */
  servingAccount(accountId: string, mode: Mode): RoutedDevice[] {
    const here = this.forAccount(accountId, mode).map((device) => this.elsewhere.routed(device))
    return [...here, ...this.elsewhere.forAccount(accountId, mode)]
  }

  /** Accepts what other nodes reported about phones. */
  remoteDeviceReports(reports: readonly RemoteDeviceReport[]): void {
    this.elsewhere.apply(reports)
  }

  /** The candidates of a route; none for an account whose queue is frozen. */
  candidatesFor = (route: Route): Candidate[] =>
    this.isFrozen(route.accountId) ? [] : [...this.candidates(route)]

  /** First the account's own: what they can carry is not for shared devices (decision 6). `all`: see `RemoteDevices`. */
  candidates = (route: Route, all?: true): Generator<Candidate> =>
    this.elsewhere.candidates(route, (owner) => this.ownedBy(owner, route.mode), all)

  /** Reads the tables if accounts or devices changed since the last time. Calls during a read share the next one. */
  reloadIfChanged(): Promise<void> {
    if (this.#nextReload !== null) return this.#nextReload
    this.#nextReload = this.#reloading
      .then(() => {
        this.#nextReload = null
        return this.#reload()
      })
      .catch((error: unknown) => {
        // What was due is still due, though no table has changed: above all the lease of a link.
        this.#retryIn(0)
        this.#deps.log.error({ err: error }, 'failed to read the devices; retrying')
      })
    this.#reloading = this.#nextReload
    return this.#reloading
  }

  #tick(): void {
    if (this.#stopped) return
    this.#cancelTimer = this.#deps.clock.schedule(this.#deps.reloadIntervalMs, () => {
      void this.reloadIfChanged().then(() => this.#tick())
    })
  }

  async #reload(): Promise<void> {
    const { read } = this.#deps
    await this.plans.refresh()
    const version = await readDirectoryVersion(read)
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#stopped || (version === this.#version && nowMs < this.#retryAtMs)) return
    this.#retryAtMs = Number.POSITIVE_INFINITY
    const [rows, disabled, frozen] = await Promise.all([
      read.selectFrom('devices').selectAll().where('state', '=', 'enabled').execute(),
      read.selectFrom('devices').select('id').where('state', '=', 'disabled').execute(),
      read.selectFrom('accounts').select('id').where('state', '!=', 'active').execute(),
      this.routes.reload(),
      this.plans.reload(),
    ])
    this.#frozen = new Set(frozen.map((account) => account.id))
    const wanted = new Set(rows.map((row) => row.id))
    const resting = new Set(disabled.map((device) => device.id))
    for (const [id, slot] of this.#slots) {
      if (wanted.has(id)) continue
      if (resting.has(id) && this.#resting.take(id, slot)) this.#slots.delete(id)
      else this.#release(id)
    }
    this.#releaseResting(new Set([...wanted, ...resting]))
    await this.elsewhere.refresh(wanted)
    const changed = rows.filter((row) => this.#slots.get(row.id)?.follows(row) !== true)
    for (let from = 0; from < changed.length && !this.#stopped; from += startsAtOnce) {
      await this.#applyTogether(changed.slice(from, from + startsAtOnce))
    }
    this.#index()
    this.#version = version
    this.#deps.changed()
  }

  /** Applies each device independently: one that cannot be started, or not soon, must not delay the others. */
  async #applyTogether(rows: readonly DeviceRow[]): Promise<void> {
    let isWaiting = true
    const applied = rows.map(async (row) => {
      await this.#apply(row)
      if (isWaiting || this.#stopped) return
      this.#index()
      this.#deps.changed()
    })
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.schedule(startWaitMs, resolve)
      void Promise.all(applied).then(() => {
        cancel()
        resolve()
      })
    })
    isWaiting = false
    this.#index()
  }

  async #apply(row: DeviceRow): Promise<void> {
    const slot = this.#slots.get(row.id) ?? this.#resting.wakeUp(row.id) ?? this.#createSlot(row.id)
    this.#slots.set(row.id, slot)
    try {
      // A device that was removed and returns waits until its former link has stopped.
      await this.#stopping.get(row.id)?.done
      if (this.#slots.get(row.id) === slot) await slot.want(row)
      // First here, then no longer there: no send may meet it in neither place.
      if (this.elsewhere.has(row.id)) this.#index()
      this.elsewhere.delete(row.id)
    } catch (error) {
      const isHeldElsewhere = error instanceof HeldElsewhere
      this.#retryIn(isHeldElsewhere ? (this.#deps.times ?? usualTimes).leaseLookMs : retryMs)
      if (isHeldElsewhere) return this.elsewhere.add(error.device)
      this.elsewhere.delete(row.id)
      this.#deps.log.error(
        { err: error, device_id: row.id },
        'failed to start a device; retrying in 30 s, or when the device is changed',
      )
    }
  }

  #createSlot(deviceId: string): DeviceSlot {
    const deps = { ...this.#deps, plans: this.plans, lastSessionOf: () => this.#lastSessionOf(deviceId) }
    const slot: DeviceSlot = new DeviceSlot(deps, {
      left: () => {
        const { restarting } = slot
        // Its former link may take long to stop: for senders the device is never absent.
        if (restarting !== null) void this.elsewhere.add(restarting)
        this.#index()
      },
      lost: () => {
        if (this.#slots.get(deviceId) !== slot) return this.#releaseResting(this.#resting.besides(slot))
        const { runtime } = slot
        this.#release(deviceId)
        // The node that took the lease runs it: for senders the device was never absent.
        if (runtime !== null) void this.elsewhere.add(knownOf(runtime))
        this.#retryIn(0)
      },
    })
    return slot
  }

  #lastSessionOf(deviceId: string): LastSession {
    const last = this.#lastSessions.get(deviceId) ?? { endedMs: null }
    this.#lastSessions.set(deviceId, last)
    return last
  }

  #retryIn(ms: number): void {
    this.#retryAtMs = Math.min(this.#retryAtMs, this.#deps.clock.monotonicMs() + ms)
  }

  #index(): void {
    this.#byAccount = Map.groupBy(this.all, ({ facts }) => servedBy(facts))
  }

  /** Stops the disabled phones whose devices no longer exist. */
  #releaseResting(known: ReadonlySet<string>): void {
    for (const id of this.#resting.ids) {
      const slot = known.has(id) ? null : this.#resting.wakeUp(id)
      if (slot === null) continue
      this.#slots.set(id, slot)
      this.#release(id)
    }
  }

  /** Takes the device out of use immediately; its link stops in the background. */
  #release(deviceId: string): void {
    const slot = this.#slots.get(deviceId)
    if (slot === undefined) return
    this.#slots.delete(deviceId)
    const done = Promise.all([this.#stopping.get(deviceId)?.done, slot.want(null)]).then(() => {
      if (this.#stopping.get(deviceId)?.done === done) this.#stopping.delete(deviceId)
    })
    this.#stopping.set(deviceId, { slot, done })
    this.#index()
  }
}
