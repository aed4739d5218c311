import type { Selectable } from 'kysely'
import type { Clock } from '../clock.ts'
import type { ConnectorEvents, ConnectorKind, DeviceSetup } from '../connectors/connector.ts'
import type { Service } from '../lifecycle.ts'
import type { Log } from '../log.ts'
import type { Db } from '../storage/dialect.ts'
import { readDirectoryVersion } from '../storage/directory-version.ts'
import type { DeviceTable, Mode } from '../storage/schema.ts'
import type { Candidate, Route } from './choose-device.ts'
import { resumeReceipts } from './resume-receipts.ts'
import { type DeviceFacts, DeviceRuntime } from './device-runtime.ts'

export interface DevicePoolDeps {
  read: Db
  clock: Clock
  log: Log
  random: () => number
  loadKind: (kind: string) => Promise<ConnectorKind | null>
  openSecrets: (row: Selectable<DeviceTable>) => Readonly<Record<string, string>>
  /** What a running device says unasked. */
  eventsOf: (deviceId: string) => ConnectorEvents
  /** Called after the running devices changed. */
  changed: () => void
  reloadIntervalMs: number
  /** How long a device that stopped answering rests before it is tried; 0 for ever. */
  breakerRestMs: number
}

/** What keeps a device from starting (a database that is busy, a peer that is away) may have passed by then. */
const retryMs = 30_000

/** The enabled devices, each running behind its connector; follows the tables, whoever changes them (≤ 1 s). */
export class DevicePool implements Service {
  readonly #deps: DevicePoolDeps
  readonly #devices = new Map<string, { runtime: DeviceRuntime; row: Selectable<DeviceTable> }>()
  #byAccount = new Map<string, DeviceRuntime[]>()
  readonly #stopping = new Set<Promise<void>>()
  #frozen: ReadonlySet<string> = new Set()
  #version = -1
  #retryAtMs = Number.POSITIVE_INFINITY
  #cancelTimer: () => void = () => undefined
  #reloading: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: DevicePoolDeps) {
    this.#deps = deps
  }

  async start(): Promise<void> {
    await this.reloadIfChanged()
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer()
    await this.#reloading
    for (const id of this.#devices.keys()) void this.#letGo(id)
    await Promise.all(this.#stopping)
  }

  get all(): DeviceRuntime[] {
    return [...this.#devices.values()].map(({ runtime }) => runtime)
  }

  get(deviceId: string): DeviceRuntime | null {
    return this.#devices.get(deviceId)?.runtime ?? null
  }

  /** The devices that an account may use in a mode: its own and the shared ones. */
  forAccount(accountId: string, mode: Mode): DeviceRuntime[] {
    return [
      ...(this.#byAccount.get(`${accountId}/${mode}`) ?? []),
      ...(this.#byAccount.get(`/${mode}`) ?? []),
    ]
  }

  /** The same as candidates; none for an account whose queue is frozen. */
  candidatesFor = (route: Route): Candidate[] =>
    this.#frozen.has(route.accountId)
      ? []
      : this.forAccount(route.accountId, route.mode).map((device) => device.candidate())

  /** Reads the tables anew when accounts or devices changed since the last time. */
  reloadIfChanged(): Promise<void> {
    this.#reloading = this.#reloading
      .then(() => this.#reload())
      .catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'the devices could not be read; trying again')
      })
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
    const [rows, frozen] = await Promise.all([
      read.selectFrom('devices').selectAll().where('state', '=', 'enabled').execute(),
      read.selectFrom('accounts').select('id').where('state', '!=', 'active').execute(),
    ])
    this.#frozen = new Set(frozen.map((account) => account.id))
    const wanted = new Set(rows.map((row) => row.id))
    for (const id of this.#devices.keys()) if (!wanted.has(id)) void this.#letGo(id)
    for (const row of rows) {
      // One device that cannot be started must not keep the others from it.
      await this.#apply(row).catch((error: unknown) => {
        this.#retryAtMs = nowMs + retryMs
        this.#deps.log.error(
          { err: error, device_id: row.id },
          'a device could not be started; it is tried again in half a minute, or when it is changed',
        )
      })
    }
    this.#index()
    this.#version = version
    this.#deps.changed()
  }

  #index(): void {
    this.#byAccount = Map.groupBy(this.all, ({ facts }) => `${facts.accountId ?? ''}/${facts.mode}`)
  }

  /** Takes a device out of use, then stops it: nothing new is handed to a link that is stopping. */
  #letGo(deviceId: string): Promise<void> {
    const known = this.#devices.get(deviceId)
    if (known === undefined) return Promise.resolve()
    this.#devices.delete(deviceId)
    this.#index()
    const stopping = known.runtime.link
      .stop()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error, device_id: deviceId }, 'a device could not be stopped'),
      )
      .finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
    return stopping
  }

  async #apply(row: Selectable<DeviceTable>): Promise<void> {
    const known = this.#devices.get(row.id)
    if (known !== undefined && known.row.updated_at === row.updated_at) return
    const facts = factsOf(row)
    const settings = JSON.parse(row.settings) as Record<string, string>
    if (
      known !== undefined &&
      known.row.secrets === row.secrets &&
      known.runtime.link.applySettings?.(settings) === true
    ) {
      known.runtime.update(facts)
      known.row = row
      return
    }
    await this.#letGo(row.id)
    const runtime = await this.#create(row, facts, settings)
    if (runtime !== null) this.#devices.set(row.id, { runtime, row })
  }

  async #create(
    row: Selectable<DeviceTable>,
    facts: DeviceFacts,
    settings: Record<string, string>,
  ): Promise<DeviceRuntime | null> {
    const { clock, log, random, loadKind, openSecrets, eventsOf } = this.#deps
    const kind = await loadKind(row.kind)
    if (kind === null) {
      log.error(
        { device_id: row.id, kind: row.kind },
        'a device is of a kind that this version does not know; it stays off',
      )
      return null
    }
    const setup: DeviceSetup = { id: row.id, name: row.name, settings, secrets: openSecrets(row) }
    const tools = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      schedule: (delayMs: number, task: () => void) => clock.schedule(delayMs, task),
      random,
      log: (
        level: 'debug' | 'info' | 'warn' | 'error',
        message: string,
        detail: Record<string, unknown> = {},
      ) => log[level]({ ...detail, device_id: row.id }, message),
    }
    const link = kind.createLink(setup, tools, eventsOf(row.id))
    try {
      await link.start()
      await resumeReceipts(this.#deps.read, row.id, link)
    } catch (error) {
      await link.stop().catch(() => undefined)
      throw error
    }
    return new DeviceRuntime({ clock, log, breakerRestMs: this.#deps.breakerRestMs }, facts, link)
  }
}

const factsOf = (row: Selectable<DeviceTable>): DeviceFacts => ({
  id: row.id,
  accountId: row.account_id,
  mode: row.mode,
  kind: row.kind,
  name: row.name,
  senders: new Set(JSON.parse(row.senders) as string[]),
  pace:
    row.parts_per_window === null || row.window_seconds === null
      ? null
      : { partsPerWindow: row.parts_per_window, windowSeconds: row.window_seconds },
})
