import { createServer, type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type CutKind, type Direction, FaultConnection } from './faults/fault-connection.ts'
import { type LaneFaults, noFaults } from './faults/fault-lane.ts'
import { type PeerOperations, servePeer, startPeerProcess } from './peer-process.ts'
import { pick, seededRandom, type Span } from './seeded-random.ts'

export type { CutKind, Direction, LaneFaults }

export interface FaultProxyOptions {
  target: { host: string; port: number }
  /** Any free one without. */
  port?: number
  seed?: number
}

export interface HalfOpen {
  forMs: number
  /** Which way bytes vanish; both without. */
  direction?: Direction
  /** What becomes of connections made meanwhile: they vanish too (without), are refused, or work. */
  newOnes?: 'swallow' | 'refuse' | 'work'
}

export interface ProxyState {
  /** Connections of clients so far, and those that stand now. */
  accepted: number
  open: number
  /** Connections that were cut on purpose. */
  cuts: number
  /** Bytes that went on. */
  passed: Record<Direction, number>
}

/**
 * A TCP proxy on the loopback between a client and its target that does to connections what networks do. Everything random
 * comes from the seed and counts bytes, so that a run can be had again.
 */
export class FaultProxy {
  readonly #options: FaultProxyOptions
  readonly #server: Server
  readonly #connections = new Set<FaultConnection>()
  readonly #standing = new Set<FaultConnection>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #faults: Record<Direction, LaneFaults> = { toTarget: noFaults, toClient: noFaults }
  #vanishing: Direction[] = []
  #nextCut: { direction: Direction; bytes: number; how: CutKind } | null = null
  #state = { accepted: 0, cuts: 0, passed: { toTarget: 0, toClient: 0 } }
  port = 0

  constructor(options: FaultProxyOptions) {
    this.#options = options
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
  }

  async listen(): Promise<number> {
    if (this.#server.listening) return this.port
    this.port ||= this.#options.port ?? 0
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
    return this.port
  }

  /** Changes what is done to one direction, of the connections that stand too; what is not named stays. */
  set(direction: Direction | 'both', faults: Partial<LaneFaults>): void {
    for (const one of directionsOf(direction)) this.#faults[one] = { ...this.#faults[one], ...faults }
    for (const connection of this.#connections) connection.look()
  }

  /** Ends all connections that stand, both sides; gives how many. */
  cut(how: CutKind): number {
    const standing = [...this.#standing]
    for (const connection of standing) connection.cut(how)
    return standing.length
  }

  /** Cuts again and again, until `heal`. */
  cutEvery(periodMs: Span, how: CutKind): void {
    const random = seededRandom(this.#options.seed ?? 1)
    const next = (): void =>
      this.#later(pick(random, periodMs), () => {
        this.cut(how)
        next()
      })
    next()
  }

  /** Cuts each connection that stands, or else the next one, once so many more bytes have passed: in the middle of a PDU, say. */
  cutAfter(direction: Direction, bytes: number, how: CutKind): void {
    if (this.#standing.size === 0) this.#nextCut = { direction, bytes, how }
    for (const connection of this.#standing) connection.cutAfter(direction, bytes, how)
  }

  /**
   * For a time bytes vanish and nobody is told, not even of an end: what a dead router leaves. Afterwards whatever has lost
   * something is reset, since a stream with a hole does not go on; the rest does.
   */
  halfOpen({ forMs, direction, newOnes = 'swallow' }: HalfOpen): void {
    const directions = directionsOf(direction ?? 'both')
    for (const connection of this.#standing) {
      for (const one of directions) connection.swallow(one)
    }
    if (newOnes === 'swallow') this.#vanishing = directions
    if (newOnes === 'refuse') this.refuse()
    this.#later(forMs, () => {
      this.#stopVanishing()
      if (newOnes === 'refuse') void this.listen()
    })
  }

  /** Puts bytes into all connections that stand, at the place where their stream is. */
  inject(direction: Direction, bytes: Uint8Array): void {
    for (const connection of this.#standing) connection.inject(direction, Buffer.from(bytes))
  }

  /** Refuses new connections until `listen`; those that stand go on. */
  refuse(): void {
    this.#server.close()
  }

  /** Ends every fault. */
  heal(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#nextCut = null
    this.set('both', noFaults)
    this.#stopVanishing()
    void this.listen()
  }

  state(): ProxyState {
    return { ...structuredClone(this.#state), open: this.#standing.size }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    const closed = this.#server.listening ? once(this.#server, 'close') : null
    this.#server.close()
    for (const connection of this.#connections) connection.destroy()
    await closed
  }

  #accept(client: Parameters<Parameters<typeof createServer>[1] & object>[0]): void {
    const { target, seed = 1 } = this.#options
    this.#state.accepted += 1
    const host = {
      faults: (direction: Direction) => this.#faults[direction],
      onPassed: (direction: Direction, bytes: number) => void (this.#state.passed[direction] += bytes),
      onCut: (cut: FaultConnection) => {
        if (this.#standing.delete(cut)) this.#state.cuts += 1
      },
      onClosed: (closed: FaultConnection) => {
        this.#standing.delete(closed)
        this.#connections.delete(closed)
      },
    }
    const connection = new FaultConnection(host, client, {
      target,
      seed: seed * 1_000_003 + this.#state.accepted,
    })
    this.#connections.add(connection)
    this.#standing.add(connection)
    for (const direction of this.#vanishing) connection.swallow(direction)
    if (this.#nextCut !== null) {
      const { direction, bytes, how } = this.#nextCut
      connection.cutAfter(direction, bytes, how)
      this.#nextCut = null
    }
  }

  #stopVanishing(): void {
    this.#vanishing = []
    for (const connection of this.#standing) connection.stopSwallowing()
  }

  #later(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, delayMs)
    this.#timers.add(timer)
  }
}

const directionsOf = (direction: Direction | 'both'): Direction[] =>
  direction === 'both' ? ['toTarget', 'toClient'] : [direction]

/** What a proxy in a process of its own can be told. */
const commandNames = ['set', 'cut', 'cutEvery', 'cutAfter', 'halfOpen', 'inject', 'refuse', 'listen', 'heal', 'state'] as const // prettier-ignore

type Commands = Pick<FaultProxy, (typeof commandNames)[number]>

/** The same as the class, but that everything is answered later. */
export type FaultProxyProcess = {
  [Name in keyof Commands]: (
    ...given: Parameters<Commands[Name]>
  ) => Promise<Awaited<ReturnType<Commands[Name]>>>
} & { port: number; pid: number; stop(): Promise<void> }

/** Starts it as a process of its own, which leaves the event loop of the tests out of the figures; settles when it listens. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxyProcess> {
  const { target, port = 0, seed = 1 } = options
  const args = ['--port', `${port}`, '--target-host', target.host, '--target-port', `${target.port}`, '--seed', `${seed}`] // prettier-ignore
  const peer = await startPeerProcess<{ port: number }>(import.meta.filename, args)
  const commands = commandNames.map((name) => [name, (...given: unknown[]) => peer.call(name, given)])
  const control = { port: peer.ready.port, pid: peer.pid, stop: peer.kill }
  return Object.assign(control, Object.fromEntries(commands) as FaultProxyProcess)
}

/** node test/peers/fault-proxy.ts --target-port 2775 [--target-host 127.0.0.1] [--port 0] [--seed 1] */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'target-host': { type: 'string', default: '127.0.0.1' },
      'target-port': { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  if (values['target-port'] === undefined) throw new Error('--target-port needs a port')
  const proxy = new FaultProxy({
    target: { host: values['target-host'], port: Number(values['target-port']) },
    port: Number(values.port),
    seed: Number(values.seed),
  })
  const port = await proxy.listen()
  const commands = commandNames.map((name) => [
    name,
    (given: unknown[]): unknown => Reflect.apply(proxy[name], proxy, given),
  ])
  servePeer(Object.fromEntries(commands) as PeerOperations, { port })
}

if (import.meta.main) await main()
