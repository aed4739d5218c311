import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { FailedAuthentications } from './failed-authentications.ts'
import { isProxied, type Passage, passageOf, type RemoteAddress } from './remote-address.ts'
import type { RequestLog } from './record-request.ts'
import type { OpenStream, Respond } from './respond.ts'

/** What the server provides to mounted routes. */
export interface MountTools {
  respond: Respond
  openStream: OpenStream
  log: RequestLog
  /** Records the device of a request, for the log. */
  noteDevice(request: FastifyRequest, deviceId: string): void
  addressOf(request: FastifyRequest): string
  /** Returns whether a proxy passed the request on, and whether `addressOf` is its client. */
  passageOf(request: FastifyRequest): Passage
  /**
   * Shortens the idle timeout of the connection of a request after the response. Connections of a proxy serve
   * many clients and keep theirs. Returns the response headers that announce it: without them Node announces
   * the timeout of all other connections.
   */
  endIdleSoon(request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, string>>
  /**
   * Counts a rejected credential. Returns the seconds until the network is allowed to try again; 0 while it
   * is.
   */
  failedAuthentication(request: FastifyRequest): number
}

/** Routes of another folder, with their own response format: below one path, all of them listed. */
export interface Mount {
  path: string
  /** The methods of each full path, in the syntax of `KnownPaths`. */
  known: ReadonlyMap<string, readonly string[]>
  /**
   * Adds the routes to their own Fastify instance, so that parsers and error handlers affect no other route.
   */
  addTo(app: FastifyInstance, tools: MountTools): void
}

export interface MountDeps extends Omit<
  MountTools,
  'noteDevice' | 'addressOf' | 'passageOf' | 'failedAuthentication' | 'endIdleSoon'
> {
  clock: Pick<Clock, 'monotonicMs'>
  remoteAddress: RemoteAddress
  config: Pick<Config, 'phoneFailedAuthPerMinute' | 'phoneIdleTimeoutMs'>
}

/** Creates the tools of mounted routes: limits of failed authentication, addresses, and log fields. */
export function createMountTools({ clock, remoteAddress, config, ...tools }: MountDeps): MountTools {
  const perMinute = config.phoneFailedAuthPerMinute
  const failures = new FailedAuthentications({ clock, remoteAddress, perMinute })
  return {
    ...tools,
    noteDevice: ({ progress }, deviceId) => void (progress.caller = { device: deviceId }),
    addressOf: ({ raw }) => remoteAddress(raw),
    passageOf: ({ raw }) => passageOf(raw, remoteAddress),
    endIdleSoon({ raw }, reply) {
      if (isProxied(raw)) return {}
      const { socket } = raw
      // Node sets its own timeout when a response is finished, before later listeners run, and resets both
      // with the next request.
      reply.raw.once('finish', () => void socket.setTimeout(config.phoneIdleTimeoutMs))
      // The connection closes after this response: there is no timeout to announce.
      if (!reply.raw.shouldKeepAlive) return {}
      return { 'keep-alive': `timeout=${Math.floor(config.phoneIdleTimeoutMs / 1000)}` }
    },
    failedAuthentication: ({ raw }) => failures.count(raw),
  }
}
