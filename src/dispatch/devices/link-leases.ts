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
  /** The name of this node. Of two that bear the same one the later keeps what both want: no token is given twice. */
  owner: string
  /** It is proven that no other process uses the database (the lock of the data folder): leases of others are of the dead. */
  isAlone: boolean
  /** The time by which leases run out, the same for all nodes; that of the clock when left out. */
  timeOf?: (tx: Tx) => Promise<number>
  /** Told how many tokens the database refused at once: it knows later ones. */
  refused?: (tokens: number) => void
  times?: Times
}

interface Held {
  token: number
  /** By the monotonic clock, counted from before the statement was sent: never later than the database has it. */
  endsMs: number
  isLost: boolean
  lost: () => void
  cancelEnd: () => void
}

/** So many devices go into one statement; SQLite takes 32766 values. */
const maxBatch = 1_000

/**
 * The leases of the links that this node runs (P5). Each is held until it is released; one that another node has, or that could not be renewed
 * in time by the monotonic clock, is lost, and whoever took it is told so once.
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

  /** What this node's writes for a device bear, so that the database refuses them once another has it; null while it is not held. */
  tokenOf(deviceId: string): number | null {
    const held = this.#held.get(deviceId)
    return held !== undefined && this.#isGood(held) ? held.token : null
  }

  /** Takes the lease of a device, or keeps it; false when another node has it. `lost` is called when it is to be stopped. */
  async take(deviceId: string, lost: () => void): Promise<boolean> {
    const held = this.#held.get(deviceId)
    if (held === undefined || !this.#isGood(held)) return this.#taking.add({ deviceId, lost })
    held.lost = lost
    return true
  }

  /** After the link has stopped. What cannot be released now runs out by itself. */
  async release(deviceId: string): Promise<void> {
    const held = this.#held.get(deviceId)
    if (held === undefined) return
    this.#forget(deviceId, held)
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
      log.warn({ err: error }, 'the leases of the links could not be renewed; trying again')
    }
    // One may have been put in place by a lease that was taken in the meantime.
    this.#cancelRenewal?.()
    this.#cancelRenewal = null
    if (this.#held.size > 0) this.#planRenewal(waitMs)
  }

  #planRenewal(waitMs: number): void {
    this.#cancelRenewal ??= this.#deps.clock.schedule(waitMs, () => void this.#renewAll())
  }

  /** Whoever stood still comes with tokens of before; that the database takes none of them is worth a line. */
  #countRefused(asked: readonly DeviceLease[], count: number): void {
    if (count === 0) return
    const { log, refused } = this.#deps
    refused?.(count)
    log.warn(
      {
        refused: count,
        asked: asked.map(({ deviceId, token }) => ({ device_id: deviceId, lease_token: token })),
      },
      'the database refused lease tokens of this node: others have taken those links since',
    )
  }

  #renewed(asked: readonly [string, Held][], renewed: ReadonlySet<string>, endsMs: number): void {
    for (const [deviceId, held] of asked) {
      // Released, taken anew, or lost by the clock in the meantime: what was renewed says nothing of it.
      if (this.#held.get(deviceId) !== held || held.isLost) continue
      if (renewed.has(deviceId)) {
        held.endsMs = endsMs
        this.#watch(deviceId, held)
      } else this.#lose(deviceId, held, 'another node runs a link of this one: it is stopped here')
    }
  }

  /** Not a poll: a timer that fires when the reserve begins, put off by each renewal. */
  #watch(deviceId: string, held: Held): void {
    const { clock } = this.#deps
    held.cancelEnd()
    held.cancelEnd = clock.schedule(held.endsMs - this.#times.leaseReserveMs - clock.monotonicMs(), () =>
      this.#lose(deviceId, held, 'the lease of a link could not be renewed in time: it is stopped'),
    )
  }

  #lose(deviceId: string, held: Held, message: string): void {
    held.cancelEnd()
    held.isLost = true
    this.#deps.log.warn({ device_id: deviceId }, message)
    held.lost()
  }

  #forget(deviceId: string, held: Held): void {
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
      log.warn({ err: error }, 'leases of links could not be released; they run out by themselves')
    }
    return leases.map(() => undefined)
  }
}
