import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { isProxied, networkOf, type RemoteAddress } from './remote-address.ts'
import { RateLimiter } from '../runtime/rate-limiter.ts'
import type { OpenStream, RequestLog, Respond } from './respond.ts'

/** What routes from another part of the program need of the server. */
export interface MountTools {
  respond: Respond
  openStream: OpenStream
  log: RequestLog
  /** Whose request it is, for the log. */
  noteDevice(request: FastifyRequest, deviceId: string): void
  addressOf(request: FastifyRequest): string
  /**
   * Lets the connection of a request be idle for a shorter time than others once it is answered. One of a proxy serves many, and stays. Gives the
   * headers of the answer that say so: without them Node tells the time of all other connections.
   */
  endIdleSoon(request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, string>>
  /** Counts a credential that was refused. Gives after how many seconds the network may try again; 0 while it may go on. */
  failedAuthentication(request: FastifyRequest): number
}

/** Routes from another part of the program, with answers of their own form: below one path, and each of them named. */
export interface Mount {
  path: string
  /** The methods of each address, as `KnownPaths` takes them; the whole path. */
  known: ReadonlyMap<string, readonly string[]>
  /** Adds them to an instance of their own, so that parsers and error handlers reach no other route. */
  addTo(app: FastifyInstance, tools: MountTools): void
}

export interface MountDeps extends Omit<
  MountTools,
  'noteDevice' | 'addressOf' | 'failedAuthentication' | 'endIdleSoon'
> {
  clock: Pick<Clock, 'monotonicMs'>
  remoteAddress: RemoteAddress
  config: Pick<Config, 'phoneFailedAuthPerMinute' | 'phoneIdleTimeoutMs'>
}

/** What every mounted plugin of routes is given: limits of wrong keys, addresses, and what the log is told. */
export function createMountTools({ clock, remoteAddress, config, ...tools }: MountDeps): MountTools {
  const limiter = new RateLimiter({ clock })
  const perMinute = config.phoneFailedAuthPerMinute
  return {
    ...tools,
    noteDevice: ({ progress }, deviceId) => void (progress.deviceId = deviceId),
    addressOf: ({ raw }) => remoteAddress(raw),
    endIdleSoon({ raw }, reply) {
      if (isProxied(raw)) return {}
      const { socket } = raw
      // Node sets its own time when an answer is finished, before those who listen later; and takes either away with the next request.
      reply.raw.once('finish', () => void socket.setTimeout(config.phoneIdleTimeoutMs))
      // It ends with this answer: there is no time to tell.
      if (!reply.raw.shouldKeepAlive) return {}
      return { 'keep-alive': `timeout=${Math.floor(config.phoneIdleTimeoutMs / 1000)}` }
    },
    failedAuthentication({ raw }) {
      if (perMinute === 0) return 0
      const verdict = limiter.take(networkOf(remoteAddress(raw)), { perMinute, burst: perMinute })
      return verdict.violated === null ? 0 : Math.max(1, verdict.retryAfterSeconds)
    },
  }
}
