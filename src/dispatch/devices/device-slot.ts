import type { Selectable } from 'kysely'
import {
  type ConnectorEvents,
  type ConnectorKind,
  isPull,
  type Link,
  type Pull,
} from '../../connectors/connector.ts'
import { countrySetting } from '../../connectors/setting-rules.ts'
import { type Db, StorageError } from '../../storage/seam/dialect.ts'
import type { DeviceTable } from '../../storage/tables/device-tables.ts'
import type { DeviceFacts } from '../configuration/device-facts.ts'
import { DeviceRuntime } from './device-runtime.ts'
import { type LinkToolsDeps, toolsFor } from './link-tools.ts'
import type { PlanStates } from '../rates/plan-states.ts'
import { reportRecalls } from './report-recalls.ts'
import { knownOf, type RoutedDevice } from './routed-device.ts'
import { resumeReceipts } from './resume-receipts.ts'
import { resumeUnknown } from './resume-unknown.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

export type DeviceRow = Selectable<DeviceTable>

export interface DeviceSlotDeps extends LinkToolsDeps {
  read: Db
  loadKind: (kind: string) => Promise<ConnectorKind | null>
  openSecrets: (row: DeviceRow) => Readonly<Record<string, string>>
  /** Receives the events of a running device. */
  eventsOf: (deviceId: string) => ConnectorEvents
  /** Links are left to other nodes. */
  leavesLinks?: boolean
  /** Whether submissions to links are logged. */
  isLogged?: () => boolean
  /** Omitted: no device has a SIM plan. */
  plans?: PlanStates
  /** How long a device that stopped responding rests before it is probed; 0 = indefinitely. */
  breakerRestMs: number
}

/** Another node has the lease of the device: not a fault, and worth another check soon. Carries what the device is. */
export class HeldElsewhere extends Error {
  readonly device: Pick<RoutedDevice, 'facts' | 'capabilities'>

  constructor(device: Pick<RoutedDevice, 'facts' | 'capabilities'>) {
    super('another node runs the link')
    this.device = device
  }
}

/**
 * The slot of one device: runs what its row says, one link at a time, even if the row changes while a link
 * starts or stops.
 */
export class DeviceSlot {
  readonly #deps: DeviceSlotDeps
  readonly #on: { left: () => void; lost: () => void }
  #wanted: DeviceRow | null = null
  #running: { runtime: DeviceRuntime; row: DeviceRow } | null = null
  #leaving: DeviceRuntime | null = null
  #abandonStart: (() => void) | null = null
  #leasedId: string | null = null
  /** Settles when the latest wish is applied. */
  #turn: Promise<void> = Promise.resolve()

  /**
   * `left` is called when the device is out of use, before its link stops; `lost` when its lease is lost, so
   * that it must be released.
   */
  constructor(deps: DeviceSlotDeps, on: { left: () => void; lost: () => void }) {
    this.#deps = deps
    this.#on = on
  }

  /** The runtime that accepts messages; null while the device starts or stops. */
  get runtime(): DeviceRuntime | null {
    return this.#running?.runtime ?? null
  }

  /** The runtime that is still stopping and accepts nothing more; null if another node may run the device by now. */
  get leaving(): DeviceRuntime | null {
    return this.#leaving?.hasLease === true ? this.#leaving : null
  }

  /** The device that leaves only to start again as its changed row says; null if it is not wanted any more. */
  get restarting(): Pick<RoutedDevice, 'facts' | 'capabilities'> | null {
    return this.#wanted === null || this.#leaving === null ? null : knownOf(this.#leaving)
  }

  /** Whether the slot runs as this row says, or is about to. */
  follows(row: DeviceRow): boolean {
    return this.#wanted?.updated_at === row.updated_at
  }

  /**
   * Follows a row, or stops the device (null). Settles when the latest wish is applied; rejects when the
   * device could not be started.
   */
  want(row: DeviceRow | null): Promise<void> {
    if (row !== null && this.follows(row)) return this.#turn
    this.#wanted = row
    // Abandons the start for a row that has changed: the change may be the very fix for it.
    this.#abandonStart?.()
    this.#turn = this.#turn.catch(() => undefined).then(() => this.#follow())
    return this.#turn
  }

  async #follow(): Promise<void> {
    const row = this.#wanted
    if (row !== null && (this.#running?.row.updated_at === row.updated_at || this.#update(row))) return
    await this.#stopRunning()
    // A newer wish has the next turn, and takes over the lease.
    if (this.#wanted !== row) return
    if (row === null) return this.#release()
    try {
      const runtime = await this.#start(row)
      if (runtime !== null) this.#running = { runtime, row }
      else if (this.#wanted === row) await this.#release()
    } catch (error) {
      // The row was not applied, so that it is retried; another node may do so first.
      if (this.#wanted === row) this.#wanted = null
      await this.#release()
      throw error
    }
  }

  /** Returns whether the running link could apply the changed row. */
  #update(row: DeviceRow): boolean {
    const running = this.#running
    if (running === null || running.row.secrets !== row.secrets) return false
    if (running.runtime.link.applySettings?.(settingsOf(row)) !== true) return false
    running.runtime.update(factsOf(row))
    this.#running = { runtime: running.runtime, row }
    return true
  }

  /** Takes the device out of use, then stops it: a link that is stopping gets no new message. */
  async #stopRunning(): Promise<void> {
    const running = this.#running
    this.#running = null
    if (running === null) return
    this.#leaving = running.runtime
    this.#on.left()
    await this.#stopLink(running.row.id, running.runtime.link)
    this.#leaving = null
  }

  async #release(): Promise<void> {
    const deviceId = this.#leasedId
    this.#leasedId = null
    if (deviceId !== null) await this.#deps.leases?.release(deviceId)
  }

  async #stopLink(deviceId: string, link: Link | Pull): Promise<void> {
    await link.stop().catch((error: unknown) => {
      this.#deps.log.error({ err: error, device_id: deviceId }, 'failed to stop a device')
    })
  }

  async #start(row: DeviceRow): Promise<DeviceRuntime | null> {
    const { log, loadKind, openSecrets, eventsOf } = this.#deps
    const kind = await loadKind(row.kind)
    if (this.#wanted !== row) return null
    if (kind === null) {
      log.error(
        { device_id: row.id, kind: row.kind },
        'this version does not know the kind of a device; it stays off',
      )
      return null
    }
    const setup = { id: row.id, name: row.name, settings: settingsOf(row), secrets: openSecrets(row) }
    const resumeAgain = (): Promise<void> =>
      resumeReceipts(this.#deps.read, row.id, link, () => this.#running?.runtime.link === link)
    const tools = { ...toolsFor(this.#deps, row.id), resumeAgain }
    const link: Link | Pull = kind.createLink(setup, tools, eventsOf(row.id))
    const lease = await this.#holdFor(row, link, kind.runsOn?.(setup.settings) ?? null)
    if (this.#wanted !== row || !(await this.#startLink(row.id, link))) return null
    return new DeviceRuntime({ ...this.#deps, ...lease }, factsOf(row), link)
  }

  /** Takes the lease that the device needs, if any; never for one that can run on another node only. Returns a function for its token. */
  async #holdFor(
    row: DeviceRow,
    link: Link | Pull,
    onlyNode: string | null,
  ): Promise<{ leaseToken?: () => number | null }> {
    const { leases, leavesLinks = false } = this.#deps
    const deviceId = row.id
    if (leases === undefined || (isPull(link) && link.leased !== true)) return {}
    const elsewhere = new HeldElsewhere({ facts: factsOf(row), capabilities: link.capabilities })
    if (leavesLinks || (onlyNode !== null && !leases.mayRun(onlyNode))) throw elsewhere
    this.#leasedId = deviceId
    if (await leases.take(deviceId, this.#on.lost)) return { leaseToken: () => leases.tokenOf(deviceId) }
    throw elsewhere
  }

  /**
   * Without its expected IDs a link may take an unmarked receipt for a received message. That is better than
   * carrying nothing.
   */
  #startsWithout(error: unknown, deviceId: string): void {
    if (!(error instanceof StorageError) || error.fault !== 'busy') throw error
    this.#deps.log.warn(
      { err: error, device_id: deviceId },
      'timed out reading the receipts that a link expects; it starts without them',
    )
  }

  /** What cannot be read is not looked up: the link carries messages anyway. */
  async #resumeUnknown(deviceId: string, link: Link | Pull): Promise<void> {
    const { read, clock, log } = this.#deps
    await resumeUnknown(read, { deviceId, nowMs: clock.now() }, link).catch((error: unknown) =>
      log.warn({ err: error, device_id: deviceId }, 'failed to read the unknown outcomes of a device'),
    )
  }

  /** Returns false when the start was abandoned. A link that did not start is stopped before the next turn. */
  async #startLink(deviceId: string, link: Link | Pull): Promise<boolean> {
    let isWanted = true
    const abandoned = new Promise<false>((resolve) => {
      this.#abandonStart = () => {
        isWanted = false
        resolve(false)
      }
    })
    const resume = (): Promise<void> => resumeReceipts(this.#deps.read, deviceId, link, () => isWanted)
    const isLater = isPull(link) || link.resumesFirst === undefined
    const started = (
      isLater
        ? link.start().then(resume)
        : resume()
            .catch((error: unknown) => this.#startsWithout(error, deviceId))
            .then(() => link.start())
    )
      .then(() => reportRecalls(this.#deps.read, deviceId, link))
      .then(() => this.#resumeUnknown(deviceId, link))
      .then(() => true)
    try {
      if (await Promise.race([started, abandoned])) return true
      await this.#stopLink(deviceId, link)
      // A link that finishes its start only now is stopped again.
      void started.then(
        () => this.#stopLink(deviceId, link),
        () => undefined,
      )
      return false
    } catch (error) {
      await this.#stopLink(deviceId, link)
      throw error
    } finally {
      this.#abandonStart = null
    }
  }
}

const settingsOf = (row: Pick<DeviceRow, 'settings'>): Record<string, string> => readJson(row.settings)

/** The country whose national numbers a device may receive, from its row. */
export const countryOf = (row: Pick<DeviceRow, 'settings'>): string | null =>
  settingsOf(row)[countrySetting.name] || null

const factsOf = (row: DeviceRow): DeviceFacts => ({
  id: row.id,
  accountId: row.account_id,
  mode: row.mode,
  kind: row.kind,
  name: row.name,
  senders: new Set(readJson(row.senders)),
  country: countryOf(row),
  pace:
    row.parts_per_window === null || row.window_seconds === null
      ? null
      : { partsPerWindow: row.parts_per_window, windowSeconds: row.window_seconds },
  ...(row.group_id !== null && { groupId: row.group_id }),
  isDraining: row.draining === 1,
})
