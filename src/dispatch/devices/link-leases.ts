import { Batcher } from '../../runtime/batcher.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type DeviceLease, releaseLeases, renewLeases, takeLeases } from '../../devices/core/device-lease.ts'
import type { Log } from '../../process/log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { type Times, usualTimes } from '../../runtime/times.ts'

export interface LinkLeasesDeps {
  writer: Pick<Writer, 'write'>
  clock: Clock
  log: Log
  /** Name of this node. Of two with the same name the later one keeps what both want: no token is issued twice. */
  owner: string
  /**
   * No other process uses the database, as the lock of the data folder proves: leases of others belong to
   * dead processes.
   */
  isAlone: boolean
  /** The time by which leases expire, the same for all nodes. Default: the clock. */
  timeOf?: (tx: Tx) => Promise<number>
  /** Receives how many tokens the database refused at the same time, because it knows later ones. */
  refused?: (tokens: number) => void
  times?: Times
}

interface Held {
  token: number
  /** By the monotonic clock, counted from before the statement was sent: never later than in the database. */
  endsMs: number
  isLost: boolean
  lost: () => void
  cancelEnd: () => void
}

/** How many devices fit into one statement; SQLite accepts 32,766 values. */
const maxBatch = 1_000

/**
 * The leases of the links that this node runs (P5). Each is held until it is released. One that another node
 * has, or that could not be renewed in time by the monotonic clock, is lost; its holder is notified once.
 */
export class LinkLeases {
  readonly #deps: LinkLeasesDeps
  readonly #times: Times
  readonly #held = new Map<string, Held>()
  readonly #taking: Batcher<{ deviceId: string; lost: () => void }, boolean>
  readonly #releasing: Batcher<DeviceLease, void>
  #cancelRenewal: (() => void) | null = null

  constructor(deps: LinkLeasesDeps) {
    this.#deps = deps
    this.#times = deps.times ?? usualTimes
    this.#taking = new Batcher((take) => this.#takeAll(take()), { maxWeight: maxBatch })
    this.#releasing = new Batcher((take) => this.#releaseAll(take()), { maxWeight: maxBatch })
  }

  /**
   * The token for this node's writes for a device, so that the database refuses them once another node has
   * the lease; null while it is not held.
   */
  tokenOf(deviceId: string): number | null {
    const held = this.#held.get(deviceId)
    return held !== undefined && this.#isGood(held) ? held.token : null
  }

  /** Whether what can run on the node of this name only can run here. The name of a node that is alone may have changed. */
  mayRun(node: string): boolean {
    const { isAlone, owner } = this.#deps
    return isAlone || owner === node
  }

  /** Takes or keeps the lease of a device; false when another node has it. `lost` is called when the link must stop. */
  async take(deviceId: string, lost: () => void): Promise<boolean> {
    const held = this.#held.get(deviceId)
    if (held === undefined || !this.#isGood(held)) return this.#taking.add({ deviceId, lost })
    held.lost = lost
    return true
  }

  /** Releases the lease after the link has stopped. If that fails now, the lease expires by itself. */
  async release(deviceId: string): Promise<void> {
    const held = this.#held.get(deviceId)
    if (held === undefined) return
    this.#drop(deviceId, held)
    await this.#releasing.add({ deviceId, token: held.token })
  }

  async #timeOf(tx: Tx): Promise<number> {
    return this.#deps.timeOf === undefined ? this.#deps.clock.now() : this.#deps.timeOf(tx)
  }

  #isGood(held: Held): boolean {
    return !held.isLost && held.endsMs - this.#deps.clock.monotonicMs() > this.#times.leaseReserveMs
  }

  async #takeAll(asked: readonly { deviceId: string; lost: () => void }[]): Promise<boolean[]> {
    const { writer, clock, owner, isAlone } = this.#deps
    const endsMs = clock.monotonicMs() + this.#times.leaseMs
    const deviceIds = asked.map(({ deviceId }) => deviceId)
    const taken = await writer.write(async (tx) =>
      takeLeases(tx, { owner, isAlone, deviceIds, nowMs: await this.#timeOf(tx) }, this.#times),
    )
    const tokens = new Map(taken.map(({ deviceId, token }) => [deviceId, token]))
    for (const { deviceId, lost } of asked) {
      const token = tokens.get(deviceId)
      if (token === undefined) continue
      this.#held.get(deviceId)?.cancelEnd()
      const held: Held = { token, endsMs, isLost: false, lost, cancelEnd: () => undefined }
      this.#held.set(deviceId, held)
      this.#watch(deviceId, held)
    }
    if (this.#held.size > 0) this.#planRenewal(this.#times.leaseRenewalMs)
    return asked.map(({ deviceId }) => tokens.has(deviceId) && this.tokenOf(deviceId) !== null)
  }

  async #renewAll(): Promise<void> {
    const { writer, clock, log, owner } = this.#deps
    const leases = [...this.#held].filter(([, held]) => !held.isLost)
    const endsMs = clock.monotonicMs() + this.#times.leaseMs
    let waitMs = this.#times.leaseRenewalMs
    try {
      for (let from = 0; from < leases.length; from += maxBatch) {
        const some = leases.slice(from, from + maxBatch)
        const had = some.map(([deviceId, { token }]) => ({ deviceId, token }))
        const renewed = await writer.write(async (tx) =>
          renewLeases(tx, { owner, leases: had, nowMs: await this.#timeOf(tx) }, this.#times),
        )
        this.#countRefused(had, had.length - renewed.length)
        this.#renewed(some, new Set(renewed.map(({ deviceId }) => deviceId)), endsMs)
      }
    } catch (error) {
      waitMs = this.#times.leaseRetryMs
      log.warn({ err: error }, 'failed to renew the leases of the links; retrying')
    }
    // A lease that was taken in the meantime may have scheduled one.
    this.#cancelRenewal?.()
    this.#cancelRenewal = null
    if (this.#held.size > 0) this.#planRenewal(waitMs)
  }

  #planRenewal(waitMs: number): void {
    this.#cancelRenewal ??= this.#deps.clock.schedule(waitMs, () => void this.#renewAll())
  }

  /**
   * A node that was suspended still has its former tokens. The database accepts none of them, which is worth
   * a log line.
   */
  #countRefused(asked: readonly DeviceLease[], count: number): void {
    if (count === 0) return
    const { log, refused } = this.#deps
    refused?.(count)
    log.warn(
      {
        refused: count,
        asked: asked.map(({ deviceId, token }) => ({ device_id: deviceId, lease_token: token })),
      },
      'the database refused lease tokens of this node: other nodes have taken those links since',
    )
  }

  #renewed(asked: readonly [string, Held][], renewed: ReadonlySet<string>, endsMs: number): void {
    for (const [deviceId, held] of asked) {
      // Released, taken again, or lost by the clock in the meantime: the renewal says nothing about it.
      if (this.#held.get(deviceId) !== held || held.isLost) continue
      if (renewed.has(deviceId)) {
        held.endsMs = endsMs
        this.#watch(deviceId, held)
      } else this.#lose(deviceId, held, 'another node runs a link of this node; stopping it here')
    }
  }

  /** Not a poll: a timer that fires when the reserve begins; each renewal moves it. */
  #watch(deviceId: string, held: Held): void {
    const { clock } = this.#deps
    held.cancelEnd()
    held.cancelEnd = clock.schedule(held.endsMs - this.#times.leaseReserveMs - clock.monotonicMs(), () =>
      this.#lose(deviceId, held, 'failed to renew the lease of a link in time; stopping it'),
    )
  }

  #lose(deviceId: string, held: Held, message: string): void {
    held.cancelEnd()
    held.isLost = true
    this.#deps.log.warn({ device_id: deviceId }, message)
    held.lost()
  }

  #drop(deviceId: string, held: Held): void {
    held.cancelEnd()
    this.#held.delete(deviceId)
    if (this.#held.size > 0) return
    this.#cancelRenewal?.()
    this.#cancelRenewal = null
  }

  async #releaseAll(leases: readonly DeviceLease[]): Promise<void[]> {
    const { writer, log, owner } = this.#deps
    try {
      const released = await writer.write((tx) => releaseLeases(tx, { owner, leases }))
      this.#countRefused(leases, leases.length - released)
    } catch (error) {
      log.warn({ err: error }, 'failed to release leases of links; they expire by themselves')
    }
    return leases.map(() => undefined)
  }
}
