import { BoundedMap } from '../../runtime/bounded-map.ts'
import { isPull } from '../../connectors/connector.ts'
import type { LastSession } from '../../connectors/connector-tools.ts'
import type { Service } from '../../process/lifecycle.ts'
import type { RemoteDeviceReport } from '../../devices/status/remote-device-report.ts'
import { DisabledPhones } from './disabled-phones.ts'
import { readDirectoryVersion } from '../../storage/seam/directory-version.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'
import type { Candidate, Route } from '../routes/choose-device.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { type DeviceRow, DeviceSlot, type DeviceSlotDeps, HeldElsewhere } from './device-slot.ts'
import { RemoteDevices } from './remote-devices.ts'
import { type RoutedDevice, routedHere, servedBy } from './routed-device.ts'

export interface DevicePoolDeps extends DeviceSlotDeps {
  /** Called after the running devices changed. */
  changed: () => void
  reloadIntervalMs: number
  times?: Times
}

/** What keeps a device from starting (a database that is busy, a peer that is away) may have passed by then. */
const retryMs = 30_000
/** So many devices start at once: thousands must not open their sockets in one instant. */
const startsAtOnce = 50
/** A start that takes longer goes on by itself: the next devices and the next reading of the tables wait no longer for it. */
const startWaitMs = 1_000
/** Of so many devices it is kept when their last session was over, those that are disabled or removed among them. */
const maxLastSessions = 10_000

/** The enabled devices, each running behind its connector; follows the tables, whoever changes them (≤ 1 s). */
export class DevicePool implements Service {
  readonly #deps: DevicePoolDeps
  readonly #slots = new Map<string, DeviceSlot>()
  #byAccount = new Map<string, DeviceRuntime[]>()
  readonly #stopping = new Map<string, { slot: DeviceSlot; done: Promise<void> }>()
  readonly #resting = new DisabledPhones()
  readonly elsewhere: RemoteDevices
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
  }

  async start(): Promise<void> {
    await this.reloadIfChanged()
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer()
    this.#letGoResting(new Set())
    // First what runs or starts, so that no slow start is waited for; then what a reading under way has added.
    for (const id of this.#slots.keys()) this.#letGo(id)
    await this.#reloading
    this.#letGoResting(new Set())
    for (const id of this.#slots.keys()) this.#letGo(id)
    await Promise.all([...this.#stopping.values()].map(({ done }) => done))
  }

  get all(): DeviceRuntime[] {
    return [...this.#slots.values()].flatMap(({ runtime }) => runtime ?? [])
  }

  /** Enabled devices that this node can speak for: those that run, and those whose link still ends before the next one begins. */
  get reported(): DeviceRuntime[] {
    return [...this.#slots].flatMap(([id, slot]) => this.#runtimeOrLeaving(id, slot) ?? [])
  }

  /** Enabled devices that run nowhere: on their way, or they could not be started. */
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

  /** Tells a phone to let go of an attempt, also while its device is disabled. */
  recall(deviceId: string, attemptId: string): void {
    const link = this.get(deviceId)?.link
    if (link === undefined) this.#resting.recall(deviceId, attemptId)
    else if (isPull(link)) link.recall(attemptId)
  }

  /** The devices that an account may use in a mode: its own and the shared ones. */
  forAccount(accountId: string, mode: Mode): DeviceRuntime[] {
    return [...this.ownedBy(accountId, mode), ...this.ownedBy(null, mode)]
  }

  /** An account's own alone, or with null those that are shared. */
  ownedBy(accountId: string | null, mode: Mode): readonly DeviceRuntime[] {
    return this.#byAccount.get(servedBy({ accountId, mode })) ?? []
  }

  /** Whether what waits for the account is not to go. */
  isFrozen(accountId: string): boolean {
    return this.#frozen.has(accountId)
  }

  /** The same, and those that other nodes run for it. */
  servingAccount(accountId: string, mode: Mode): RoutedDevice[] {
    const here = this.forAccount(accountId, mode).map((device) => {
      const routed = routedHere(device)
      const facts = { ...routed.facts, ...this.elsewhere.sendersOf(device) }
      return this.elsewhere.routed({ ...routed, facts })
    })
    return [...here, ...this.elsewhere.forAccount(accountId, mode)]
  }

  /** Phones of which another node knows more. */
  remoteDeviceReports(heard: readonly RemoteDeviceReport[]): void {
    this.elsewhere.hear(heard)
  }

  /** What the choice has for a route; nothing for an account whose queue is frozen. */
  candidatesFor = (route: Route): Candidate[] => {
    return this.isFrozen(route.accountId) ? [] : [...this.candidates(route)]
  };

  /** First the account's own, and those of them that work on other nodes: what these can carry is for no shared device (decision 6). */
  *candidates({ accountId, mode, sender }: Route): Generator<Candidate> {
    for (const device of this.ownedBy(accountId, mode)) yield this.elsewhere.candidateOf(device, sender)
    yield* this.elsewhere.candidatesOf(accountId, mode)
    for (const device of this.ownedBy(null, mode)) yield device.candidate(sender)
  }

  /** Reads the tables anew when accounts or devices changed since the last time. Who asks while one reading is under way shares the next. */
  reloadIfChanged(): Promise<void> {
    if (this.#nextReload !== null) return this.#nextReload
    this.#nextReload = this.#reloading
      .then(() => {
        this.#nextReload = null
        return this.#reload()
      })
      .catch((error: unknown) => {
        // Whatever was due is due still, though no table has changed: the lease of a link above all.
        this.#retryIn(0)
        this.#deps.log.error({ err: error }, 'the devices could not be read; trying again')
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
    const version = await readDirectoryVersion(read)
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#stopped || (version === this.#version && nowMs < this.#retryAtMs)) return
    this.#retryAtMs = Number.POSITIVE_INFINITY
    const [rows, disabled, frozen] = await Promise.all([
      read.selectFrom('devices').selectAll().where('state', '=', 'enabled').execute(),
      read.selectFrom('devices').select('id').where('state', '=', 'disabled').execute(),
      read.selectFrom('accounts').select('id').where('state', '!=', 'active').execute(),
    ])
    this.#frozen = new Set(frozen.map((account) => account.id))
    const wanted = new Set(rows.map((row) => row.id))
    const resting = new Set(disabled.map((device) => device.id))
    for (const [id, slot] of this.#slots) {
      if (wanted.has(id)) continue
      if (resting.has(id) && this.#resting.take(id, slot)) this.#slots.delete(id)
      else this.#letGo(id)
    }
    this.#letGoResting(new Set([...wanted, ...resting]))
    await this.elsewhere.refresh(wanted)
    const changed = rows.filter((row) => this.#slots.get(row.id)?.follows(row) !== true)
    for (let from = 0; from < changed.length && !this.#stopped; from += startsAtOnce) {
      await this.#applyTogether(changed.slice(from, from + startsAtOnce))
    }
    this.#index()
    this.#version = version
    this.#deps.changed()
  }

  /** Each device by itself: one that cannot be started, or not soon, must not keep the others from it. */
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
      // One that was removed and comes back waits until its link of before is gone.
      await this.#stopping.get(row.id)?.done
      if (this.#slots.get(row.id) === slot) await slot.want(row)
      this.elsewhere.delete(row.id)
    } catch (error) {
      const isHeldElsewhere = error instanceof HeldElsewhere
      this.#retryIn(isHeldElsewhere ? (this.#deps.times ?? usualTimes).leaseLookMs : retryMs)
      if (isHeldElsewhere) return this.#addElsewhere(error.device)
      this.elsewhere.delete(row.id)
      this.#deps.log.error(
        { err: error, device_id: row.id },
        'a device could not be started; it is tried again in half a minute, or when it is changed',
      )
    }
  }

  /** How it stands there is read with the next look for its lease where it cannot be read now. */
  #addElsewhere(device: Parameters<RemoteDevices['add']>[0]): Promise<void> {
    return this.elsewhere.add(device).catch((error: unknown) => {
      this.#deps.log.warn(
        { err: error, device_id: device.facts.id },
        'the report of a device elsewhere could not be read',
      )
    })
  }

  #createSlot(deviceId: string): DeviceSlot {
    const deps = { ...this.#deps, lastSessionOf: () => this.#lastSessionOf(deviceId) }
    const slot: DeviceSlot = new DeviceSlot(deps, {
      left: () => this.#index(),
      lost: () => {
        if (this.#slots.get(deviceId) !== slot) return
        const { runtime } = slot
        this.#letGo(deviceId)
        // Whoever took the lease runs it: to senders it was never away.
        if (runtime !== null)
          void this.#addElsewhere({ facts: runtime.facts, capabilities: runtime.link.capabilities })
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

  /** Those whose devices are no more. */
  #letGoResting(known: ReadonlySet<string>): void {
    for (const id of this.#resting.ids) {
      const slot = known.has(id) ? null : this.#resting.wakeUp(id)
      if (slot === null) continue
      this.#slots.set(id, slot)
      this.#letGo(id)
    }
  }

  /** Out of use at once; it stops in the background. */
  #letGo(deviceId: string): void {
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
