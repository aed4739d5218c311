import type { IncomingMessage } from 'node:http'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import { type Refusal, refuse } from '../runtime/errors.ts'
import type { Ids } from '../runtime/ids.ts'
import { DirectOperations } from './direct/direct-operations.ts'
import { takeConnections, type TakenConnections } from './direct/take-connections.ts'
import { createReadRequest } from './direct/whole-request.ts'
import { answerClientError, type ClientErrorDeps, endWithProblem } from './edge/client-error.ts'
import { countHeaders, newProgress } from './edge/handled-request.ts'
import { parseJsonObject } from './edge/json-body.ts'
import { operations } from './v1/operations.ts'
import { createRecordRequest, type RequestLog, type RequestMetrics } from './edge/record-request.ts'
import { pathOf } from './edge/request-target.ts'
import {
  createOpenStream,
  createRespond,
  errorReply,
  fixedHeaders,
  type OpenStream,
  type Respond,
} from './edge/respond.ts'
import type { KnownPaths } from './edge/known-paths.ts'
import { createMountTools, type Mount } from './edge/mount.ts'
import { createRemoteAddress } from './edge/remote-address.ts'
import { addRoutes, type RouteDeps } from './routes.ts'
import { watchSilentConnections } from './edge/silent-connections.ts'

/**
 * `publicUrl` is the public URL of the service. It is read at each use, because a free port is known only
 * after listening.
 */
export interface ServerDeps extends Omit<RouteDeps, 'respond' | 'direct'> {
  /** Certificate chain and private key (PEM); null serves plain HTTP. */
  tls: { cert: Buffer; key: Buffer } | null
  /** Routes of other folders. */
  mounts: readonly Mount[]
  config: ServerConfig
  clock: Clock
  ids: Ids
  log: RequestLog
  metrics: RequestMetrics & { text(): Promise<string> }
}

export type ServerConfig = RouteDeps['config'] &
  Pick<
    Config,
    | 'phoneFailedAuthPerMinute'
    | 'phoneIdleTimeoutMs'
    | 'headersTimeoutMs'
    | 'requestTimeoutMs'
    | 'keepAliveTimeoutMs'
    | 'maxConnections'
    | 'directRequests'
    | 'logSends'
  >

/** Longer URLs are refused; 100 IDs need 3.5 KiB. */
const maxUriBytes = 8 * 1024
const maxHeaderBytes = 16 * 1024
/** Interval of the check of Node for timed-out connections. */
const timeoutCheckMs = 1_000

/**
 * Creates the HTTP server of the API: the four operations, the documentation, the pages for machines and the
 * mounts. It does not listen yet.
 */
export function createServer(deps: ServerDeps): FastifyInstance {
  const { clock, ids, config } = deps
  const newRequestId = (): string => ids('req')
  const record = createRecordRequest(deps)
  const respond = createRespond(record)
  const unparsed: ClientErrorDeps = {
    ...deps,
    newRequestId,
    maxUriBytes,
    isSend: isSendRequest,
    refuseMethod: (target) => routeFault(known, pathOf(target)),
  }
  const app = fastify({
    ...optionsFrom(config, deps.tls),
    genReqId: newRequestId,
    clientErrorHandler: (error, socket) => answerClientError(unparsed, error, socket),
    frameworkErrors: (error, request, reply) => {
      request.progress = newProgress(clock.monotonicMs())
      answerError(deps, respond, error, request, reply)
    },
  })
  app.server.maxConnections = config.maxConnections
  const direct =
    config.directRequests === 'on' ? new DirectOperations({ ...deps, newRequestId, record }) : null
  acceptOddRequests(app, unparsed)
  app.decorateRequest('progress', null as never)
  app.addHook('onRequest', (request, _reply, done) => {
    request.progress = newProgress(clock.monotonicMs())
    done(admissionFault(request, known) ?? undefined)
  })
  // For responses of plug-ins, which do not use `respond`.
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(fixedHeaders(request.id))
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, parseJsonObject(body as Buffer)),
  )
  app.setErrorHandler((error, request, reply) => answerError(deps, respond, error, request, reply))
  const known = addRoutes(app, { ...deps, respond, direct })
  addMounts(app, deps, { respond, openStream: createOpenStream(record), known })
  endConnections(app, deps.tls !== null, takeDirect(app, deps, direct))
  return app
}

/** Reads ordinary requests straight from their connections; null where nothing is served so, or this machine cannot. */
function takeDirect(
  { server }: FastifyInstance,
  { config: { maxBodyBytes, keepAliveTimeoutMs }, tls, log }: ServerDeps,
  direct: DirectOperations | null,
): TakenConnections | null {
  if (direct === null || direct.isEmpty) return null
  const read = createReadRequest(maxBodyBytes)
  if (read === null) {
    log.info({}, 'node:http reads every request: this machine cannot run llhttp as WebAssembly')
    return null
  }
  const failed = (error: unknown): void => log.error({ err: error }, 'a bug, or a fault of the machine')
  return takeConnections(server, tls !== null, { read, operations: direct, keepAliveTimeoutMs, failed })
}

/** Makes a server that stops close the connections that Node would wait for. */
function endConnections(app: FastifyInstance, isTls: boolean, taken: TakenConnections | null): void {
  const endSilent = watchSilentConnections(app.server, isTls, (socket) => taken?.has(socket) ?? false)
  app.addHook('preClose', (done) => {
    taken?.end()
    endSilent()
    done()
  })
}

function addMounts(
  app: FastifyInstance,
  deps: ServerDeps,
  { known, ...writers }: { respond: Respond; openStream: OpenStream; known: KnownPaths },
): void {
  const remoteAddress = createRemoteAddress(deps.config.trustedProxies)
  const tools = createMountTools({ ...deps, ...writers, remoteAddress })
  for (const { path, known: paths, addTo } of deps.mounts) {
    for (const [route, methods] of paths) known.add(route, methods)
    void app.register(
      (own, _options, done) => {
        addTo(own, tools)
        done()
      },
      { prefix: path },
    )
  }
}

function optionsFrom(config: ServerConfig, tls: ServerDeps['tls']) {
  const node = {
    headersTimeout: config.headersTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    maxHeaderSize: maxHeaderBytes,
    // A missing Host header gets a problem document instead.
    requireHostHeader: false,
  }
  return {
    logger: false as const,
    exposeHeadRoutes: false,
    // While it drains, the service still responds to requests on open connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle' as const,
    bodyLimit: config.maxBodyBytes,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: config.keepAliveTimeoutMs,
    ...(tls === null ? { http: node } : { https: { ...node, ...tls, minVersion: 'TLSv1.2' as const } }),
  }
}

/**
 * Returns the fault of a request that does not depend on its route, in the order of checks; null without one.
 */
function admissionFault(request: FastifyRequest, known: KnownPaths): Error | null {
  const { raw, progress } = request
  if (!request.is404) {
    progress.route = request.routeOptions.url ?? null
    progress.isSend = isSendRequest(raw.method, request.routeOptions.url)
  }
  const hosts = countHeaders(raw, 'host')
  if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) {
    return refuse('malformed_request', {
      detail: 'A request must have exactly one Host header (RFC 9112 section 3.2).',
    })
  }
  if (!isFramedAsRead(raw)) {
    return refuse('malformed_request', {
      detail: 'The only supported transfer coding is chunked, and only with HTTP/1.1 (RFC 9112 section 6.1).',
    })
  }
  if (request.is404) {
    const path = pathOf(raw.url ?? '')
    progress.route = known.find(path)?.route ?? null
    return routeFault(known, path)
  }
  return (raw.url ?? '').length > maxUriBytes ? refuse('uri_too_long') : null
}

/**
 * Returns whether Node framed the body correctly: it accepts every list of codings that ends with `chunked`,
 * and passes the chunks on as if there were no other coding.
 */
const isFramedAsRead = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const codings = headers['transfer-encoding']
  return codings === undefined || (codings.toLowerCase() === 'chunked' && httpVersion === '1.1')
}

/** Returns why no route matches: the path does not exist, or has other methods. */
function routeFault(known: KnownPaths, path: string): Refusal {
  const methods = known.find(path)?.methods
  if (methods === undefined) return refuse('not_found')
  return refuse('method_not_allowed', {
    detail: `Use ${methods.join(' or ')}.`,
    headers: { allow: methods.join(', ') },
  })
}

const isSendRequest = (method: string | undefined, target: string | undefined): boolean =>
  method === 'POST' && target !== undefined && pathOf(target) === operations.send.path

function answerError(
  deps: ServerDeps,
  respond: Respond,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const answer = errorReply(deps, error, request)
  // An unread body of unknown length would keep the connection busy after the response.
  const unread = request.raw.headers['transfer-encoding'] !== undefined && !request.raw.complete
  respond(
    request,
    reply,
    unread ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer,
  )
}

/** Makes requests that Node would answer itself, or not at all, get a problem document like others. */
function acceptOddRequests({ server }: FastifyInstance, unparsed: ClientErrorDeps): void {
  const asUsual = (request: IncomingMessage, response: unknown): void =>
    void server.emit('request', request, response)
  server.on('checkExpectation', asUsual)
  server.on('connect', (_request, socket) => {
    const refusal = refuse('method_not_allowed', {
      detail: 'This is not a proxy.',
      headers: { allow: 'GET' },
    })
    endWithProblem(unparsed, socket, refusal, false)
  })
}
