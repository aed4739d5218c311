import type { ServerResponse } from 'node:http'
import { METHODS, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { problems, type Refusal, refuse } from '../runtime/errors.ts'
import { renderProblem } from './problem.ts'
import { type RequestLine, readRequestLine } from './request-target.ts'
import { fixedHeaders, type RequestLog, type RequestMetrics } from './respond.ts'

export interface ClientErrorDeps {
  publicUrl: () => string
  newRequestId: () => string
  log: RequestLog
  metrics: Pick<RequestMetrics, 'refused'>
  maxUriBytes: number
  isSend: (method: string | undefined, target: string | undefined) => boolean
  /** What is to be said to a method that the address does not take. */
  refuseMethod: (target: string) => Refusal
}

type ClientError = Error & { code?: string | undefined; rawPacket?: unknown }

/**
 * Answers what Node's parser could not make a request of. Says nothing when another answer is due on the connection, because the
 * client would take this one for it.
 */
export function answerClientError(deps: ClientErrorDeps, error: ClientError, socket: Duplex): void {
  // Node's own handler asks the same field; nothing public tells what a connection owes. It is null after an answered request.
  // oxlint-disable-next-line no-underscore-dangle
  const pending = (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
  const owesAnother = pending !== undefined && (pending.headersSent || pending.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || owesAnother) {
    socket.destroy()
    return
  }
  const line = Buffer.isBuffer(error.rawPacket) ? readRequestLine(error.rawPacket) : null
  const isSend =
    pending === undefined
      ? deps.isSend(line?.method, line?.target)
      : deps.isSend(pending.req.method, pending.req.url)
  endWithProblem(deps, socket, refusalOf(deps, error, line), isSend)
}

/** Writes a problem document over the bare socket and closes it: such a connection has no next request. */
export function endWithProblem(
  deps: ClientErrorDeps,
  socket: Duplex,
  refusal: Refusal,
  isSend: boolean,
): void {
  const requestId = deps.newRequestId()
  const body = renderProblem(refusal, { publicUrl: deps.publicUrl(), requestId, isSend })
  const { status } = problems[refusal.code]
  const headers = {
    ...fixedHeaders(requestId),
    ...refusal.extra.headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
  deps.metrics.refused(refusal.code)
  deps.log.info({ request: requestId, status, code: refusal.code }, 'not a request')
}

/** `line` is null when the fault lies in a later packet than the first line of the request. */
function refusalOf(
  { maxUriBytes, refuseMethod }: ClientErrorDeps,
  { code }: ClientError,
  line: RequestLine | null,
): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout')
  if (code === 'HPE_HEADER_OVERFLOW')
    return refuse(line !== null && line.target.length > maxUriBytes ? 'uri_too_long' : 'headers_too_large')
  if (line?.whole === true && isMethodFault(code, line.method)) return refuseMethod(line.target)
  return refuse('malformed_request', { detail: 'This is not a well-formed HTTP/1.1 request.' })
}

/** The parser knows the methods of RTSP too, and denies them to HTTP by another code. */
const isMethodFault = (code: string | undefined, method: string): boolean =>
  code === 'HPE_INVALID_METHOD' || (code === 'HPE_INVALID_CONSTANT' && !METHODS.includes(method))
