import type { Clock } from '../../runtime/clock.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import type { RemoteDeviceReport } from '../../devices/status/remote-device-report.ts'
import type { Log } from '../../process/log.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Candidate, Route } from '../routes/candidate.ts'
import { configuredCandidate, type DeviceFacts } from '../configuration/device-facts.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { knownSenders } from '../configuration/known-senders.ts'
import { type RoutedDevice, routedHere, servedBy } from './routed-device.ts'

type Known = Pick<RoutedDevice, 'facts' | 'capabilities'>
interface State extends Pick<RoutedDevice, 'isWorking' | 'throughput' | 'link'> {
  isDoubted: boolean
  /** Known numbers of its SIMs. */
  numbers: ReadonlySet<string>
}

/** The state of a device of which nothing is known. */
const unknownState: State = {
  isWorking: false,
  throughput: null,
  link: 'none',
  isDoubted: false,
  numbers: new Set(),
}

interface Report {
  isWorking: boolean
  isDoubted: boolean
  link: string
  /** Known numbers of its SIMs. */
  numbers: ReadonlySet<string>
  untilMs: number
}

/** How many IDs fit into one statement. */
const pageSize = 1_000

/**
 * Link devices whose leases other nodes have, and devices of this node that start again: they too carry what is accepted
 * here. Their state comes from the last reports about them, as old as the last check for free leases.
 */
export class RemoteDevices {
  readonly #deps: { read: Db; clock: Clock; log: Log }
  readonly #known = new Map<string, Known>()
  /** The same by whom they serve: each route of a round is looked up here. Null until it is rebuilt. */
  #byOwner: ReadonlyMap<string, readonly Known[]> | null = null
  #states: ReadonlyMap<string, State> = new Map()
  /** Phones that other nodes are connected to, each until its report expires. */
  readonly #reports = new Map<string, Report>()

  constructor(deps: { read: Db; clock: Clock; log: Log }) {
    this.#deps = deps
  }

  has(deviceId: string): boolean {
    return this.#known.has(deviceId)
  }

  /**
   * Records that another node has the lease of the device, or that this one starts it again. A report that cannot be read
   * now is read with the next lease check.
   */
  async add(device: Known): Promise<void> {
    const isNew = !this.#known.has(device.facts.id)
    this.#known.set(device.facts.id, device)
    this.#byOwner = null
    if (!isNew) return
    try {
      this.#states = new Map([...this.#states, ...(await this.#readStates([device.facts.id]))])
    } catch (error) {
      this.#deps.log.warn(
        { err: error, device_id: device.facts.id },
        'failed to read the last report of a device that another node runs or that starts again',
      )
    }
  }

  delete(deviceId: string): void {
    if (this.#known.delete(deviceId)) this.#byOwner = null
  }

  /** Removes the devices that no longer exist, and reads the state of the others. */
  async refresh(wanted: ReadonlySet<string>): Promise<void> {
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.delete(id)
    for (const id of this.#reports.keys()) if (!wanted.has(id)) this.#reports.delete(id)
    this.#states = await this.#readStates([...this.#known.keys()])
  }

  /** Applies recent reports of other nodes about phones. */
  apply(reports: readonly RemoteDeviceReport[]): void {
    for (const { deviceId, status, isDoubted = false, numbers = [], link = 'none', reportedAt } of reports) {
      const isWorking = status === 'online' || status === 'degraded'
      const untilMs = reportedAt + reportLifetimeMs
      this.#reports.set(deviceId, { isWorking, isDoubted, link, numbers: new Set(numbers), untilMs })
    }
  }

  /** Returns whether another node reports that the device works. A draining device counts as offline here as there. */
  isReported({ id, isDraining }: DeviceFacts): boolean {
    const report = this.#reports.get(id)
    return !isDraining && report !== undefined && report.isWorking && report.untilMs > this.#deps.clock.now()
  }

  /** Returns a device of this node as a send sees it: with the report of another node, if there is a valid one. */
  routed(device: DeviceRuntime): RoutedDevice {
    const routed = routedHere(device)
    const here = { ...routed, facts: { ...routed.facts, ...this.#sendersOf(device) } }
    if (!this.isReported(here.facts)) return here
    return { ...here, isWorking: true, link: this.#reports.get(here.facts.id)?.link ?? here.link }
  }

  /** Returns the senders of a phone of this node, including those that it reported to another node. */
  #sendersOf(device: DeviceRuntime): Pick<Candidate, 'senders'> {
    const report = this.isReported(device.facts) ? this.#reports.get(device.facts.id) : undefined
    const senders = knownSenders(device.facts, device.link)
    return { senders: report === undefined ? senders : senders.union(report.numbers) }
  }

  forAccount(accountId: string, mode: Mode): RoutedDevice[] {
    return [...this.#ownedBy(accountId, mode), ...this.#ownedBy(null, mode)]
  }

  /**
   * Returns a device of this node as a candidate. A phone that is offline here but connected elsewhere
   * belongs to that node.
   */
  candidateOf(device: DeviceRuntime, sender: string | null): Candidate {
    const here = this.askingOf(device, sender)
    const isElsewhere = here.health === 'offline' && this.isReported(device.facts)
    if (!isElsewhere) return here
    const { senders } = this.#sendersOf(device)
    return { ...here, senders, health: 'online', free: 0, isElsewhere }
  }

  /**
   * The same for a phone that asks this node. A phone may report each failure to another node: if another
   * node distrusts it, it gets here what a distrusted one gets, and no half-open probe, which is up to the
   * other node.
   */
  askingOf(device: DeviceRuntime, sender: string | null = null): Candidate {
    const here = device.candidate(sender)
    const isDoubted = this.isReported(device.facts) && this.#reports.get(device.facts.id)?.isDoubted === true
    const free = device.held.count > 0 ? 0 : Math.min(1, here.free)
    return isDoubted ? { ...here, isDoubted, free, freeWithOthers: 0 } : here
  }

  /**
   * The devices that may carry a route: the account's own, here and on other nodes, then the shared ones. On the usual way own
   * ones of other nodes count while they work, and shared ones not; `all`, as on ways of rules, where they may precede others.
   */
  *candidates(
    { accountId, mode, sender, way }: Route,
    ownedBy: (owner: string | null) => readonly DeviceRuntime[],
    all = way !== undefined,
  ): Generator<Candidate> {
    for (const device of ownedBy(accountId)) yield this.candidateOf(device, sender)
    yield* this.candidatesOf(accountId, mode, all)
    for (const device of ownedBy(null))
      yield all ? this.candidateOf(device, sender) : device.candidate(sender)
    if (all) yield* this.candidatesOf(null, mode, true)
  }

  /** An account's own links that run on other nodes, or with null the shared ones, as candidates: those that work, or all. */
  *candidatesOf(accountId: string | null, mode: Mode, all: boolean): Generator<Candidate> {
    for (const { facts, capabilities, isWorking, isDoubted } of this.#ownedBy(accountId, mode)) {
      if (!isWorking && !all) continue
      const { maxParts, alphanumericSender, encodingChoice: choosesEncoding } = capabilities
      const health = isWorking ? ('online' as const) : ('offline' as const)
      const as = { health, free: 0, load: 1, fetches: false, isElsewhere: true as const }
      const can = { senders: facts.senders, maxParts, alphanumericSender, choosesEncoding }
      yield { ...configuredCandidate(facts), accountId, ...can, ...as, ...(isDoubted && { isDoubted }) }
    }
  }

  *#ownedBy(accountId: string | null, mode: Mode): Generator<RoutedDevice & { isDoubted: boolean }> {
    this.#byOwner ??= Map.groupBy(this.#known.values(), ({ facts }) => servedBy(facts))
    for (const device of this.#byOwner.get(servedBy({ accountId, mode })) ?? []) {
      const state = this.#states.get(device.facts.id) ?? unknownState
      const { numbers, ...reported } = state
      const facts = { ...device.facts, senders: device.facts.senders.union(numbers) }
      yield { ...device, facts, ...reported, isWorking: state.isWorking && !facts.isDraining }
    }
  }

  async #readStates(deviceIds: readonly string[]): Promise<Map<string, State>> {
    const states = new Map<string, State>()
    const { read, clock } = this.#deps
    const sinceMs = clock.now() - reportLifetimeMs
    for (let from = 0; from < deviceIds.length; from += pageSize) {
      const rows = await read
        .selectFrom('device_reports')
        .select(['device_id', 'status', 'body'])
        .where('device_id', 'in', deviceIds.slice(from, from + pageSize))
        .where('reported_at', '>', sinceMs)
        .execute()
      for (const { device_id, status, body } of rows) {
        const { throughput, link, isDoubted = false, sims } = readJson(body)
        const isWorking = status === 'online' || status === 'degraded'
        const numbers = new Set(sims.flatMap(({ number }) => number ?? []))
        states.set(device_id, { isWorking, throughput, link, isDoubted, numbers })
      }
    }
    return states
  }
}
