import { STATUS_CODES } from 'node:http'

/** A response that is written to a bare socket. */
export interface RawResponse {
  status: number
  /** Names and values in turn, with the length of the body among them. */
  headers: readonly string[]
  body: string
}

/**
 * Writes a response as `node:http` does: the headers as given, then those of the connection. It announces for how many seconds the
 * connection stays open without a request, or that it is closed (null).
 */
export function responseText(
  { status, headers, body }: RawResponse,
  staysOpenSeconds: number | null,
): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  const connection =
    staysOpenSeconds === null ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${staysOpenSeconds}`
  return `${text}Date: ${httpDate()}\r\nConnection: ${connection}\r\n\r\n${body}`
}

let date = ''
let dateSecond = -1

/** The time in the form of RFC 9110 section 5.6.7, made once a second. */
function httpDate(): string {
  const nowMs = Date.now()
  const second = Math.floor(nowMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(nowMs).toUTCString()
  }
  return date
}
