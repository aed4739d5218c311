import { STATUS_CODES } from 'node:http'

export interface ResponseText {
  status: number
  /** Names and values in turn, with the length of the body among them. */
  headers: readonly string[]
  body: string
}

/** Whether the connection stays open, and for how many seconds without a request; null closes it. */
export type StaysOpenSeconds = number | null

/** Writes a response as `node:http` does: the headers as given, then those of the connection. */
export function responseText({ status, headers, body }: ResponseText, staysOpen: StaysOpenSeconds): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  const connection = staysOpen === null ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${staysOpen}`
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
