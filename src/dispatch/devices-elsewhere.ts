import type { Clock } from '../clock.ts'
import { type DeviceReportBody, reportLifetimeMs } from '../devices/device-report.ts'
import type { HeardElsewhere } from '../devices/heard-elsewhere.ts'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import type { RoutedDevice } from './routed-device.ts'

type Known = Pick<RoutedDevice, 'facts' | 'capabilities'>
type Said = Pick<RoutedDevice, 'isWorking' | 'throughput'>

/** So many ids go into one statement. */
const pageSize = 1_000

/**
 * Link devices whose leases other nodes have: what is accepted here is carried by them too. How they stand is read from the reports of those nodes, as
 * old as the last look for free leases.
 */
export class DevicesElsewhere {
  readonly #deps: { read: Db; clock: Clock }
  readonly #known = new Map<string, Known>()
  #said: ReadonlyMap<string, Said> = new Map()
  /** Phones that other nodes hear: until when that counts. */
  readonly #heard = new Map<string, { isWorking: boolean; untilMs: number }>()

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
    if (isNew) this.#said = new Map([...this.#said, ...(await this.#readSaid([device.facts.id]))])
  }

  delete(deviceId: string): void {
    this.#known.delete(deviceId)
  }

  /** Forgets those that are no more, and reads how the others stand. */
  async refresh(wanted: ReadonlySet<string>): Promise<void> {
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.#known.delete(id)
    for (const id of this.#heard.keys()) if (!wanted.has(id)) this.#heard.delete(id)
    this.#said = await this.#readSaid([...this.#known.keys()])
  }

  /** Phones of which other nodes know more, as those said lately. */
  hear(heard: readonly HeardElsewhere[]): void {
    for (const { deviceId, status, reportedAt } of heard) {
      const isWorking = status === 'online' || status === 'degraded'
      this.#heard.set(deviceId, { isWorking, untilMs: reportedAt + reportLifetimeMs })
    }
  }

  /** Whether another node hears that it works. */
  isHeard(deviceId: string): boolean {
    const heard = this.#heard.get(deviceId)
    return heard !== undefined && heard.isWorking && heard.untilMs > this.#deps.clock.now()
  }

  forAccount(accountId: string, mode: Mode): RoutedDevice[] {
    return [...this.#known.values()].flatMap((device) => {
      const { facts } = device
      const serves = facts.mode === mode && (facts.accountId === accountId || facts.accountId === null)
      const said = this.#said.get(facts.id) ?? { isWorking: false, throughput: null }
      return serves ? [{ ...device, ...said }] : []
    })
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
        const { throughput } = JSON.parse(body) as DeviceReportBody
        said.set(device_id, { isWorking: status === 'online' || status === 'degraded', throughput })
      }
    }
    return said
  }
}
