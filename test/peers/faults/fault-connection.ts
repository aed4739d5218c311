import { connect, type Socket } from 'node:net'
import { resetSocket } from '../reset-socket.ts'
import { seededRandom } from '../seeded-random.ts'
import { FaultLane, type LaneFaults } from './fault-lane.ts'

export type Direction = 'toTarget' | 'toClient'
export type CutKind = 'fin' | 'rst'

export interface ConnectionHost {
  faults(direction: Direction): LaneFaults
  onPassed(direction: Direction, bytes: number): void
  onCut(connection: FaultConnection): void
  /** Both sockets are gone. */
  onClosed(connection: FaultConnection): void
}

/** One connection of a client, and the one to the target that belongs to it. */
export class FaultConnection {
  readonly #host: ConnectionHost
  readonly #client: Socket
  readonly #target: Socket
  readonly #lanes: Record<Direction, FaultLane>
  #isCut = false
  #cutHow: CutKind = 'rst'

  constructor(
    host: ConnectionHost,
    client: Socket,
    options: { target: { host: string; port: number }; seed: number },
  ) {
    this.#host = host
    this.#client = client
    this.#target = connect({ ...options.target, allowHalfOpen: true, noDelay: true })
    client.setNoDelay(true)
    this.#lanes = {
      toTarget: this.#createLane('toTarget', client, this.#target, options.seed * 2),
      toClient: this.#createLane('toClient', this.#target, client, options.seed * 2 + 1),
    }
    this.#watch(client, this.#target, 'toTarget')
    this.#watch(this.#target, client, 'toClient')
    this.look()
  }

  /** Faults have changed. */
  look(): void {
    for (const lane of Object.values(this.#lanes)) lane.look()
  }

  inject(direction: Direction, bytes: Buffer): void {
    this.#lanes[direction].inject(bytes)
  }

  cutAfter(direction: Direction, bytes: number, how: CutKind): void {
    this.#cutHow = how
    if (bytes <= 0) this.cut(how)
    else this.#lanes[direction].cutAfter(bytes)
  }

  /** From now on what comes in this direction vanishes. */
  swallow(direction: Direction): void {
    this.#lanes[direction].isSwallowing = true
  }

  /** Ends swallowing. A connection that lost something cannot go on: it is reset, where it still stands. */
  stopSwallowing(): void {
    const lanes = Object.values(this.#lanes)
    for (const lane of lanes) lane.isSwallowing = false
    if (lanes.some((lane) => lane.hasLost)) this.cut('rst')
  }

  /** Ends both sides at once; what is still in here is lost. */
  cut(how: CutKind): void {
    if (this.#isCut) return
    this.#isCut = true
    this.#host.onCut(this)
    for (const lane of Object.values(this.#lanes)) lane.stop()
    for (const socket of [this.#client, this.#target]) {
      if (how === 'rst' || socket.connecting) resetSocket(socket)
      else {
        // Read to the end: closing with unread bytes would be a reset.
        socket.removeAllListeners('data').resume()
        socket.end()
      }
    }
  }

  /** Leaves nothing, not even a side that never answers a FIN. */
  destroy(): void {
    this.cut('rst')
    this.#client.destroy()
    this.#target.destroy()
  }

  #createLane(direction: Direction, source: Socket, sink: Socket, seed: number): FaultLane {
    const host = {
      faults: () => this.#host.faults(direction),
      random: seededRandom(seed),
      onCutPoint: () => this.cut(this.#cutHow),
      onPassed: (bytes: number) => this.#host.onPassed(direction, bytes),
    }
    return new FaultLane(host, source, sink)
  }

  /** An end by error is passed on as a reset, as the network does; unless this direction swallows. */
  #watch(socket: Socket, other: Socket, direction: Direction): void {
    socket.on('error', () => {
      if (this.#lanes[direction].isSwallowing) this.#lanes[direction].hasLost = true
      else if (!other.destroyed) resetSocket(other)
    })
    socket.on('close', () => {
      if (!socket.destroyed || !other.destroyed) return
      for (const lane of Object.values(this.#lanes)) lane.stop()
      this.#host.onClosed(this)
    })
  }
}
