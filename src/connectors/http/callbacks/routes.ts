import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Callback } from './callback.ts'
import { type FetchText, keepCertificates } from './certificates.ts'
import { type CallAnswer, type HandleCall, handleInbound, handleStatus } from './handle-call.ts'
import { generationOf, type Hooks, providerPath } from './hooks.ts'
import type { ProviderPorts } from './ports.ts'

/** Providers send a report of some hundred octets; a list of them is longer. */
const maxBodyBytes = 64 * 1024

export interface ProviderRouteDeps {
  ports: ProviderPorts
  hooks: Hooks
  clock: { now(): number }
  /** The public URL of the service, as providers are given it. */
  publicUrl: () => string
}

/** What the server provides to routes that are mounted on it. */
interface ServerTools {
  respond(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: { status: number; contentType: string; body: string; headers?: Record<string, string> },
  ): void
  log: { error(fields: object, message: string): void }
  noteDevice(request: FastifyRequest, deviceId: string): void
  failedAuthentication(request: FastifyRequest): number
}

const methods = ['GET', 'POST'] as const
const paths: readonly [path: string, handle: HandleCall][] = [
  ['/:hook/status/:attempt', handleStatus],
  ['/:hook/status', handleStatus],
  ['/:hook/inbound', handleInbound],
]

/** Returns the routes that providers call with receipts and received messages, to be mounted below `path`. */
export function createProviderRoutes(deps: ProviderRouteDeps): {
  path: string
  known: ReadonlyMap<string, readonly string[]>
  addTo(app: FastifyInstance, tools: ServerTools): void
} {
  const certificates = keepCertificates((url) => deps.ports.fetchText(url), deps.clock)
  return {
    path: providerPath,
    known: new Map(paths.map(([path]) => [providerPath + path, methods])),
    addTo(app, tools) {
      app.removeAllContentTypeParsers()
      // Signatures are over the octets that arrived.
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      for (const [url, handle] of paths) {
        app.route({
          method: [...methods],
          url,
          bodyLimit: maxBodyBytes,
          async handler(request, reply) {
            const {
              status,
              type,
              body,
              headers = {},
            } = await answerCall({ ...deps, certificates }, tools, { request, handle })
            tools.respond(request, reply, { status, contentType: type, body, headers })
            return reply
          },
        })
      }
    },
  }
}

type Answer = CallAnswer & { headers?: Record<string, string> }

/** A caller gets the same response for a wrong address and for a forged call. */
async function answerCall(
  { ports, hooks, clock, publicUrl, certificates }: ProviderRouteDeps & { certificates: FetchText },
  tools: ServerTools,
  { request, handle }: { request: FastifyRequest; handle: HandleCall },
): Promise<Answer> {
  const { hook, attempt } = request.params as { hook: string; attempt?: string }
  const named = hooks.deviceOf(hook)
  if (named === null) return refused(tools, request)
  const { deviceId, generation } = named
  const attemptId = attempt === undefined ? null : hooks.attemptOf(deviceId, attempt)
  if (attempt !== undefined && attemptId === null) return refused(tools, request)
  tools.noteDevice(request, deviceId)
  try {
    const account = await ports.account(deviceId)
    const answer =
      account === null || generationOf(account.settings) !== generation
        ? null
        : await handle(
            { ports, certificates, nowMs: clock.now() },
            account,
            callbackOf(request, publicUrl()),
            attemptId,
          )
    return answer ?? refused(tools, request)
  } catch (error) {
    tools.log.error({ request: request.id, err: error }, 'a call of a provider could not be stored')
    return { status: 503, type: 'text/plain', body: 'Try again.' }
  }
}

/** The address is the one that the provider was given: behind a proxy, `Host` is another. */
function callbackOf({ raw, body }: FastifyRequest, publicUrl: string): Callback {
  const headers = Object.entries(raw.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return {
    method: raw.method === 'GET' ? 'GET' : 'POST',
    url: publicUrl.replace(/\/+$/, '') + (raw.url ?? ''),
    headers: Object.fromEntries(headers) as Callback['headers'],
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  }
}

function refused(tools: ServerTools, request: FastifyRequest): Answer {
  const retryAfterSeconds = tools.failedAuthentication(request)
  return retryAfterSeconds > 0
    ? {
        status: 429,
        type: 'text/plain',
        body: 'Too many wrong calls.',
        headers: { 'retry-after': String(retryAfterSeconds) },
      }
    : { status: 403, type: 'text/plain', body: 'Not the provider of a device here.' }
}
