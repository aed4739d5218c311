import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../runtime/errors.ts'
import type { Mount, MountTools } from '../edge/mount.ts'
import { checkContentType } from '../edge/media-types.ts'
import { queryOf } from '../edge/request-target.ts'
import type { Reply } from '../edge/respond.ts'
import type { AnyCall, CallContext, DownloadedFile, Surroundings } from './core/call.ts'
import { calls } from './calls.ts'
import { endStream } from './core/end-stream.ts'
import { guardCall, originFault } from './guard-call.ts'
import { readInput } from './core/read-input.ts'

const base = '/console/api'
/** A hundred rows of a table with long texts. API clients send one text at a time and have a lower limit. */
const maxBodyBytes = 1024 * 1024

/** Creates the mount of the console calls: never with an API key, always with the cookie of the session. */
export function createConsoleMount(surroundings: Omit<Surroundings, 'log'>): Mount {
  const table: [string, AnyCall][] = Object.entries(calls)
  return {
    path: base,
    known: new Map(table.map(([name, call]) => [`${base}/${name}`, [methodOf(call)]])),
    addTo(app, tools) {
      const streams: Streams = { open: new Set(), downloads: new Set(), isClosing: false }
      app.addHook('preClose', (done) => {
        streams.isClosing = true
        for (const response of streams.open) endStream(response)
        for (const response of streams.downloads) response.destroy()
        done()
      })
      for (const [name, call] of table) {
        app.route({
          method: methodOf(call),
          url: `/${name}`,
          bodyLimit: maxBodyBytes,
          handler: async (request, reply) => {
            await answer({ ...surroundings, log: tools.log }, tools, streams, call, request, reply)
            return reply
          },
        })
      }
    },
  }
}

interface Streams {
  open: Set<FastifyReply['raw']>
  /** Downloads in progress: aborted when the server stops, so that a partial file does not look complete. */
  downloads: Set<FastifyReply['raw']>
  /** The server is stopping: a stream that began now would have no end. */
  isClosing: boolean
}

const methodOf = (call: AnyCall): 'GET' | 'POST' => (call.kind === 'change' ? 'POST' : 'GET')

async function answer(
  surroundings: Surroundings,
  tools: MountTools,
  streams: Streams,
  call: AnyCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const cookies: string[] = []
  const headers = headersOf(request.raw)
  const query = new URLSearchParams(queryOf(request.raw.url ?? ''))
  if (headers.has('authorization'))
    throw refuse('not_signed_in', { detail: 'API keys work only at /api/v1. The console uses sessions.' })
  if (call.kind === 'change') {
    const fault = originFault(headers, surroundings.publicUrl())
    if (fault !== null) throw fault
    checkContentType(request.raw.headers)
  }
  const callContext: CallContext = {
    ...surroundings,
    requestId: request.id,
    address: tools.addressOf(request),
    headers,
    setCookie: (cookie) => void cookies.push(cookie),
  }
  const context = await guardCall(callContext, call, query)
  const input = readInput(call, call.kind === 'change' ? request.body : query.get('input'))
  if (call.kind === 'stream') {
    if (streams.isClosing)
      throw refuse('unavailable', { headers: { 'retry-after': '1', connection: 'close' } })
    call.admit?.(context)
    const response = tools.openStream(request, reply, {
      contentType: 'text/event-stream',
      headers: { 'x-accel-buffering': 'no' },
    })
    // The client disconnected during the checks: no later event would report it.
    if (request.raw.socket.destroyed) return
    streams.open.add(response)
    response.once('close', () => streams.open.delete(response))
    call.open(context, input, response)
  } else if (call.kind === 'download')
    await sendFile(surroundings, tools, streams, request, reply, await call.handle(context, input))
  else {
    const body = JSON.stringify(await call.handle(context, input))
    tools.respond(
      request,
      reply,
      withCookies({ status: 200, contentType: 'application/json', body }, cookies),
    )
  }
}

async function sendFile(
  { config }: Surroundings,
  tools: MountTools,
  { downloads }: Streams,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, contentType, chunks, ended, headers = {} }: DownloadedFile,
): Promise<void> {
  try {
    const response = tools.openStream(request, reply, {
      contentType,
      headers: { ...headers, 'content-disposition': `attachment; filename="${name}"` },
    })
    downloads.add(response)
    cutWhenStalled(response, config.downloadStallSeconds * 1_000)
    try {
      await pipeline(chunks, response)
    } catch (error) {
      // A partial file must not look complete: the connection ends without the last chunk.
      response.destroy()
      if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
        tools.log.error({ request: request.id, err: error }, 'a download was aborted')
    } finally {
      downloads.delete(response)
    }
  } finally {
    ended?.()
  }
}

/**
 * Ends a response that the client does not read. A client that reads slowly keeps it, and time without output
 * from us does not count.
 */
function cutWhenStalled(response: ServerResponse, stalledMs: number): void {
  response.setTimeout(stalledMs, () => {
    if (response.writableLength > 0) response.destroy()
    else response.socket?.setTimeout(stalledMs)
  })
}

const withCookies = (reply: Reply, cookies: readonly string[]): Reply =>
  cookies.length === 0 ? reply : { ...reply, cookies }

const headersOf = (raw: IncomingMessage): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  return headers
}
