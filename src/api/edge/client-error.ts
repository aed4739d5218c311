import type { ServerResponse } from 'node:http'
import { METHODS } from 'node:http'
import type { Duplex } from 'node:stream'
import { problems, type Refusal, refuse } from '../../runtime/errors.ts'
import { renderProblem } from './problem.ts'
import type { RequestLog, RequestMetrics } from './record-request.ts'
import { type RequestLine, readRequestLine } from './request-target.ts'
import { fixedHeaders } from './respond.ts'
import { responseText } from './response-text.ts'

export interface ClientErrorDeps {
  publicUrl: () => string
  newRequestId: () => string
  log: RequestLog
  metrics: Pick<RequestMetrics, 'refused'>
  maxUriBytes: number
  isSend: (method: string | undefined, target: string | undefined) => boolean
  /** Returns the refusal for a method that the path does not allow. */
  refuseMethod: (target: string) => Refusal
}

type ClientError = Error & { code?: string | undefined; rawPacket?: unknown }

/**
 * Responds to input that Node could not parse as a request. Sends nothing while another response is due on
 * the connection, because the client would take this one for it.
 */
export function answerClientError(deps: ClientErrorDeps, error: ClientError, socket: Duplex): void {
  // Node's own handler reads the same field; no public API exposes pending responses. Null after a completed request.
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

/**
 * Writes a problem document to the bare socket and closes it: no further request can follow on such a
 * connection.
 */
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
  }
  const response = { status, headers: Object.entries(headers).flat(), body }
  socket.end(responseText(response, null), () => socket.destroy())
  deps.metrics.refused(refusal.code)
  deps.log.info({ request: requestId, status, code: refusal.code }, 'malformed request')
}

/** `line` is null when the fault is in a later packet than the first line of the request. */
function refusalOf(
  { maxUriBytes, refuseMethod }: ClientErrorDeps,
  { code }: ClientError,
  line: RequestLine | null,
): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout')
  if (code === 'HPE_HEADER_OVERFLOW')
    return refuse(line !== null && line.target.length > maxUriBytes ? 'uri_too_long' : 'headers_too_large')
  if (line?.whole === true && isMethodFault(code, line.method)) return refuseMethod(line.target)
  return refuse('malformed_request', { detail: 'Not a well-formed HTTP/1.1 request.' })
}

/** The parser also knows the methods of RTSP, and rejects them for HTTP with another code. */
const isMethodFault = (code: string | undefined, method: string): boolean =>
  code === 'HPE_INVALID_METHOD' || (code === 'HPE_INVALID_CONSTANT' && !METHODS.includes(method))
