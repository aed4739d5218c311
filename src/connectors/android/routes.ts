import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { phonePath } from '../../process/own-address.ts'
import { Refusal } from '../../runtime/errors.ts'
import { bearerOf, callOf, callOfPhone, refusedCredential } from './access.ts'
import { documentsFor } from './documents.ts'
import { StreamRoute } from './events.ts'
import { handleHook } from './hooks.ts'
import { pull, report } from './messages.ts'
import type { Registration } from './ports.ts'
import { answerReachRequest, pageHeaders } from './reach-page.ts'
import type { DocumentName } from './read-documents.ts'
import { describe, register, update } from './registration.ts'
import { type Answer, CallRefused, type PhoneCall, type PhoneRouteDeps, type ServerTools } from './route.ts'

/** Base path of all phone routes; the address that is entered in the app ends with it. */
const base = phonePath
/** Pulls and reports of one message have a few KiB. */
const maxBodyBytes = 64 * 1024

type Method = 'GET' | 'POST' | 'PATCH'
interface Route {
  method: Method
  path: string
  /** Null when it has already responded. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<Answer | null>
}

const methods: Readonly<Record<string, readonly Method[]>> = {
  '/device': ['POST', 'PATCH', 'GET'],
  '/message': ['GET', 'PATCH'],
  '/settings': ['GET'],
  '/webhooks': ['GET'],
  '/events': ['GET'],
  '/user/code': ['GET'],
  '/user/password': ['PATCH'],
  '/hooks/:secret': ['POST'],
  '/reach/:nonce': ['GET'],
}

/** Returns the routes of the server for the SMSGate app (1.53.1 and later), to be mounted below `path`. */
export function createPhoneRoutes(deps: PhoneRouteDeps): {
  path: string
  known: ReadonlyMap<string, readonly Method[]>
  addTo(app: FastifyInstance, tools: ServerTools): void
} {
  const known = Object.entries(methods).flatMap(([path, allowed]) =>
    spellings(path).map((spelling) => [base + spelling, allowed] as const),
  )
  return {
    path: base,
    known: new Map(known),
    addTo(app, tools) {
      const streams = new StreamRoute(deps, tools)
      app.addHook('preClose', (done) => {
        streams.close()
        done()
      })
      app.removeAllContentTypeParsers()
      // The signature covers the raw body; each handler parses it.
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      app.setErrorHandler((error, request, reply) => answerError(tools, error, request, reply))
      for (const route of routesOf(deps, tools, streams)) addRoute(app, tools, route)
    },
  }
}

function addRoute(app: FastifyInstance, tools: ServerTools, { method, path, handle }: Route): void {
  for (const url of spellings(path)) {
    app.route({
      method,
      url,
      bodyLimit: maxBodyBytes,
      handler: async (request, reply) => {
        const answer = await handle(request, reply)
        if (answer !== null) respondWith(tools, request, reply, answer)
        return reply
      },
    })
  }
}

/** The app appends paths to the configured address, so a slash at its end becomes two. */
const spellings = (path: string): string[] => [path, `/${path}`]

function routesOf(deps: PhoneRouteDeps, tools: ServerTools, streams: StreamRoute): Route[] {
  const { ports } = deps

  const routeOf = (
    method: Method,
    path: string,
    handle: (call: PhoneCall, request: FastifyRequest, reply: FastifyReply) => Promise<Answer | null>,
    identify: (request: FastifyRequest) => Promise<Registration | null> = byToken,
  ): Route => ({
    method,
    path,
    async handle(request, reply) {
      const registration = await identify(request)
      if (registration === null) throw refusedCredential(tools, request)
      tools.noteDevice(request, registration.deviceId)
      return handle(callOfPhone(deps, callOf(tools, request), registration), request, reply)
    },
  })
  const byToken = async (request: FastifyRequest): Promise<Registration | null> => {
    const token = bearerOf(request.raw)
    return token === null ? null : ports.identify(token)
  }
  const byHook = ({ params }: FastifyRequest): Promise<Registration | null> =>
    ports.identifyHook((params as { secret: string }).secret)
  const open = (method: Method, path: string, handle: Route['handle']): Route => ({ method, path, handle })
  const document = async (name: DocumentName, call: PhoneCall): Promise<Answer> => {
    const text = documentsFor(deps, call)[name]
    call.phone?.documents.gave(call.registration.phoneId, name, text)
    return { status: 200, json: JSON.parse(text) as unknown }
  }

  return [
    open('POST', '/device', async (request) => {
      const token = bearerOf(request.raw)
      const answer = token === null ? null : await register(deps, callOf(tools, request), token)
      if (answer === null) throw refusedCredential(tools, request)
      return answer
    }),
    routeOf('PATCH', '/device', (call) => update(deps, call)),
    open('GET', '/device', async (request) => {
      // A client that presents a token must present a valid one; the app also calls this without a token.
      if (request.raw.headers.authorization !== undefined && (await byToken(request)) === null)
        throw refusedCredential(tools, request)
      return describe(callOf(tools, request))
    }),
    routeOf('GET', '/message', (call) => pull(deps, call)),
    routeOf('PATCH', '/message', (call) => report(deps, call)),
    routeOf('GET', '/settings', (call) => document('settings', call)),
    routeOf('GET', '/webhooks', (call) => document('webhooks', call)),
    routeOf('GET', '/events', async (call, request, reply) => {
      streams.open(request, reply, call)
      return null
    }),
    open('GET', '/reach/:nonce', (request) => answerReachRequest(deps, tools, request)),
    open('GET', '/user/code', notHere),
    open('PATCH', '/user/password', notHere),
    routeOf('POST', '/hooks/:secret', (call) => handleHook(deps, call), byHook),
  ]
}

/** There are no accounts of the app's kind: a phone belongs to the owner of its private token. */
const notHere = async (): Promise<Answer> => {
  throw new CallRefused(501, 'This server does not support codes and passwords for phones.')
}

function respondWith(
  { respond, endIdleSoon }: ServerTools,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, json, page }: Answer,
  headers: Record<string, string> = page === undefined ? {} : pageHeaders,
): void {
  const ofConnection = endIdleSoon(request, reply)
  respond(request, reply, {
    status,
    // Without this content type the app has no parser for the body.
    contentType: page === undefined ? 'application/json' : 'text/html; charset=utf-8',
    body: page ?? (json === undefined ? '' : JSON.stringify(json)),
    headers: headers['connection'] === 'close' ? headers : { ...ofConnection, ...headers },
  })
}

/** Responds to errors of these routes in their own format; rejections of the server itself are passed on. */
function answerError(tools: ServerTools, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refused = readRefusal(error)
  if (refused === null) throw error
  if (refused.status === 500)
    tools.log.error({ request: request.id, err: error }, 'failed to respond to a phone')
  const headers = {
    ...(refused.retryAfterSeconds > 0 ? { 'retry-after': String(refused.retryAfterSeconds) } : {}),
    // The unread rest would be allowed for the next request.
    ...(refused.status === 413 ? { connection: 'close' } : {}),
  }
  respondWith(tools, request, reply, { status: refused.status, json: { message: refused.message } }, headers)
}

function readRefusal(error: unknown): CallRefused | null {
  if (error instanceof CallRefused) return error
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new CallRefused(413, 'The body is too large.')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new CallRefused(statusCode, 'The request cannot be read.')
  return error instanceof Refusal ? null : new CallRefused(500, 'Internal error. Try again.')
}
