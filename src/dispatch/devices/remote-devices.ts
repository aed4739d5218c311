import type { Clock } from '../../runtime/clock.ts'
import { type DeviceReportBody, reportLifetimeMs } from '../../devices/status/device-report.ts'
import type { RemoteDeviceReport } from '../../devices/status/remote-device-report.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Candidate } from '../routes/choose-device.ts'
import type { DeviceFacts } from '../trust/device-facts.ts'
import type { DeviceRuntime } from './device-runtime.ts'
import { knownSenders } from '../trust/known-senders.ts'
import { type RoutedDevice, servedBy } from './routed-device.ts'

type Known = Pick<RoutedDevice, 'facts' | 'capabilities'>
type Said = Pick<RoutedDevice, 'isWorking' | 'throughput' | 'link'> & { isDoubted: boolean }

/** Nothing is known of it. */
const silent: Said = { isWorking: false, throughput: null, link: 'none', isDoubted: false }

interface Heard {
  isWorking: boolean
  isDoubted: boolean
  link: string
  /** Known numbers of its SIMs. */
  numbers: ReadonlySet<string>
  untilMs: number
}

/** So many ids go into one statement. */
const pageSize = 1_000

/**
 * Link devices whose leases other nodes have: what is accepted here is carried by them too. How they stand is read from the reports of those nodes, as
 * old as the last look for free leases.
 */
export class RemoteDevices {
  readonly #deps: { read: Db; clock: Clock }
  readonly #known = new Map<string, Known>()
  /** The same by whom they serve: each route of a round is looked up in it. Null until it is made anew. */
  #byOwner: ReadonlyMap<string, readonly Known[]> | null = null
  #said: ReadonlyMap<string, Said> = new Map()
  /** Phones that other nodes hear: until when that counts. */
  readonly #heard = new Map<string, Heard>()

  constructor(deps: { read: Db; clock: Clock }) {
    this.#deps = deps
  }

  has(deviceId: string): boolean {
    return this.#known.has(deviceId)
  }

  /** Another node has its lease. */
  async add(device: Known): Promise<void> {
    const isNew = !this.#known.has(device.facts.id)
    this.#known.set(device.facts.id, device)
    this.#byOwner = null
    if (isNew) this.#said = new Map([...this.#said, ...(await this.#readSaid([device.facts.id]))])
  }

  delete(deviceId: string): void {
    if (this.#known.delete(deviceId)) this.#byOwner = null
  }

  /** Forgets those that are no more, and reads how the others stand. */
  async refresh(wanted: ReadonlySet<string>): Promise<void> {
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.delete(id)
    for (const id of this.#heard.keys()) if (!wanted.has(id)) this.#heard.delete(id)
    this.#said = await this.#readSaid([...this.#known.keys()])
  }

  /** Phones of which other nodes know more, as those said lately. */
  hear(heard: readonly RemoteDeviceReport[]): void {
    for (const { deviceId, status, isDoubted = false, numbers = [], link = 'none', reportedAt } of heard) {
      const isWorking = status === 'online' || status === 'degraded'
      const untilMs = reportedAt + reportLifetimeMs
      this.#heard.set(deviceId, { isWorking, isDoubted, link, numbers: new Set(numbers), untilMs })
    }
  }

  /** Whether another node hears that it works. To messages that wait, a device that drains is none, here as there. */
  isHeard({ id, isDraining }: DeviceFacts): boolean {
    const heard = this.#heard.get(id)
    return !isDraining && heard !== undefined && heard.isWorking && heard.untilMs > this.#deps.clock.now()
  }

  /** A device of this node as a send finds it: what another node hears of it counts, if it does. */
  routed(here: RoutedDevice): RoutedDevice {
    if (!this.isHeard(here.facts)) return here
    return { ...here, isWorking: true, link: this.#heard.get(here.facts.id)?.link ?? here.link }
  }

  /** The senders of a phone of this node, and those that it has by what it told another. */
  sendersOf(device: DeviceRuntime): Pick<Candidate, 'senders'> {
    const heard = this.isHeard(device.facts) ? this.#heard.get(device.facts.id) : undefined
    const senders = knownSenders(device.facts, device.link)
    return { senders: heard === undefined ? senders : senders.union(heard.numbers) }
  }

  forAccount(accountId: string, mode: Mode): RoutedDevice[] {
    return [...this.#ownedBy(accountId, mode), ...this.#ownedBy(null, mode)]
  }

  /** A device of this node as the choice sees it: a phone that is not heard here, and is elsewhere, is that node's. */
  candidateOf(device: DeviceRuntime, sender: string | null): Candidate {
    const here = this.askingOf(device, sender)
    const isElsewhere = here.health === 'offline' && this.isHeard(device.facts)
    if (!isElsewhere) return here
    const { senders } = this.sendersOf(device)
    return { ...here, senders, health: 'online', free: 0, isElsewhere }
  }

  /**
   * The same where it is this node that it asks. A phone may tell each node of another failure: in doubt by the word of another, it has here what a
   * doubted one has, and no trial, which the other node gives it.
   */
  askingOf(device: DeviceRuntime, sender: string | null = null): Candidate {
    const here = device.candidate(sender)
    const isDoubted = this.isHeard(device.facts) && this.#heard.get(device.facts.id)?.isDoubted === true
    const free = device.held.count > 0 ? 0 : Math.min(1, here.free)
    return isDoubted ? { ...here, isDoubted, free, freeBeside: 0 } : here
  }

  /** An account's own links that work elsewhere, as the choice sees them. */
  *candidatesOf(accountId: string, mode: Mode): Generator<Candidate> {
    for (const { facts, capabilities, isWorking, isDoubted } of this.#ownedBy(accountId, mode)) {
      if (!isWorking) continue
      const { maxParts, alphanumericSender, encodingChoice: choosesEncoding } = capabilities
      const as = { health: 'online', free: 0, load: 1, fetches: false, isElsewhere: true } as const
      const can = { senders: facts.senders, maxParts, alphanumericSender, choosesEncoding }
      yield { id: facts.id, accountId, mode, ...can, ...as, ...(isDoubted && { isDoubted }) }
    }
  }

  *#ownedBy(accountId: string | null, mode: Mode): Generator<RoutedDevice & { isDoubted: boolean }> {
    this.#byOwner ??= Map.groupBy(this.#known.values(), ({ facts }) => servedBy(facts))
    for (const device of this.#byOwner.get(servedBy({ accountId, mode })) ?? []) {
      const said = this.#said.get(device.facts.id) ?? silent
      yield { ...device, ...said, isWorking: said.isWorking && !device.facts.isDraining }
    }
  }

  async #readSaid(deviceIds: readonly string[]): Promise<Map<string, Said>> {
    const said = new Map<string, Said>()
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
        const { throughput, link, isDoubted = false } = JSON.parse(body) as DeviceReportBody
        const isWorking = status === 'online' || status === 'degraded'
        said.set(device_id, { isWorking, throughput, link, isDoubted })
      }
    }
    return said
  }
}
