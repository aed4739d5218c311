import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { countParts } from './fake-phone/sms-parts.ts'
import { servePeer } from './peer-process.ts'

/**
 * A messaging service in a process of its own that speaks the SMS API of Vonage, as its OpenAPI document says
 * (github.com/Nexmo/api-specification, definitions/sms.yml, 2021-07-14): each part of a text has an ID and a delivery receipt, and
 * every answer has the status 200. It shares no code with the service. Receipts and messages of handsets are kept until `deliver`.
 */

/** What a request submitted, whole, and how it was answered. */
export interface Submitted {
  to: string
  from: string
  text: string
  parts: number
  /** Null: the connection was closed instead. */
  status: string | null
}

type Mode = 'yes' | 'good' | 'now' | 'busy' | 'nothing' | 'some' | 'credentials' | 'error'

interface Call {
  url: string
  body: string
  attempts: number
}

let mode: Mode = 'yes'
/** Whose credentials are wrong, whatever the mode: the account with this key, or the one that submits next. */
let refused: string | null = null
let delayMs = 0
let port = 0
let lastId = 0
let server: Server | null = null
const sockets = new Set<Socket>()
const submitted: Submitted[] = []
let waiting: Call[] = []
let requests = 0

/** Statuses of the document that stand for each kind of refusal; 5 is an internal error. */
const statusOf: Record<Mode, string> = {
  yes: '0',
  some: '0',
  nothing: '0',
  good: '3',
  now: '13',
  busy: '1',
  credentials: '4',
  error: '5',
}

/** The alphabets of 3GPP TS 23.038 decide how long a part is; here only what the tests send is told apart. */
const gsm7 = /^[\n\r\x20-\x5a_a-z£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà^{}\\[~\]|€]*$/u

function submit(form: URLSearchParams, response: ServerResponse): void {
  const { to = '', from = '', text = '', callback } = Object.fromEntries(form)
  const parts = countParts(text)
  const key = form.get('api_key')
  if (refused === 'next') refused = key
  if (key === refused) {
    submitted.push({ to, from, text, parts, status: statusOf.credentials })
    const messages = [{ status: statusOf.credentials, 'error-text': 'Bad Credentials' }]
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ 'message-count': '1', messages }))
    return
  }
  const taken = mode === 'yes' ? parts : mode === 'some' ? 1 : mode === 'nothing' ? parts : 0
  submitted.push({ to, from, text, parts, status: mode === 'nothing' ? null : statusOf[mode] })
  const messages = Array.from({ length: Math.max(parts, 1) }, (_, i) => {
    if (i >= taken) return { status: mode === 'some' ? '3' : statusOf[mode], 'error-text': 'refused' }
    const id = `0A${(lastId += 1).toString(16).toUpperCase().padStart(14, '0')}`
    if (callback !== undefined)
      waiting.push({
        url: callback,
        body: JSON.stringify({
          msisdn: to, to: from, 'network-code': '26201', messageId: id, price: '0.03330000', status: 'delivered',
          scts: '2001011400', 'err-code': '0', 'api-key': form.get('api_key'), 'client-ref': form.get('client-ref'),
          'message-timestamp': '2020-01-01 12:00:00',
        }), // prettier-ignore
        attempts: 0,
      })
    return {
      to,
      'message-id': id,
      status: '0',
      'remaining-balance': '3.14159265',
      'message-price': '0.0333',
      network: '26201',
    }
  })
  if (mode === 'nothing') {
    response.destroy()
    return
  }
  const body = JSON.stringify({ 'message-count': String(parts), messages })
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  // Questions for the balance submit nothing.
  if (request.method === 'POST') requests += 1
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const respond = (): void => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://peer')
      if (pathname === '/sms/json' && request.method === 'POST')
        return submit(new URLSearchParams(Buffer.concat(chunks).toString('utf8')), response)
      if (pathname === '/account/get-balance') {
        const status = mode === 'credentials' || searchParams.get('api_key') === refused ? 401 : 200
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end('{"value":3.1,"autoReload":false}')
        return
      }
      response.writeHead(404).end()
    }
    if (delayMs === 0) respond()
    else setTimeout(respond, delayMs)
  })
}

async function listen(): Promise<number> {
  const created = createServer(answer)
  created.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => created.listen(port, '127.0.0.1', resolve))
  server = created
  port = (created.address() as AddressInfo).port
  return port
}

/** Calls until each call was answered by 2xx, or by something else this often. */
async function deliver(mostAttempts: number): Promise<number> {
  for (const call of waiting) call.attempts = 0
  while (waiting.some(({ attempts }) => attempts < mostAttempts)) {
    const call = waiting.find(({ attempts }) => attempts < mostAttempts)
    if (call === undefined) break
    call.attempts += 1
    const response = await fetch(call.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: call.body,
    }).catch(() => null)
    if (response?.ok === true) waiting = waiting.filter((each) => each !== call)
  }
  return waiting.length
}

const operations = {
  set: (change: { mode?: Mode; delayMs?: number; refused?: string | null }) => {
    mode = change.mode ?? mode
    refused = change.refused === undefined ? refused : change.refused
    delayMs = change.delayMs ?? delayMs
  },
  setOffline: async (isOffline: boolean) => {
    if (!isOffline) return server === null ? listen() : port
    const closing = server
    server = null
    for (const socket of sockets) socket.destroy()
    if (closing !== null) await new Promise((resolve) => closing.close(resolve))
    return port
  },
  renew: async () => {
    mode = 'yes'
    refused = null
    delayMs = 0
    waiting = []
    submitted.length = 0
    requests = 0
    return server === null ? listen() : port
  },
  receive: ({ url, from, text }: { url: string; from: string; text: string }) => {
    const id = `0B${(lastId += 1).toString(16).toUpperCase().padStart(14, '0')}`
    waiting.push({
      url,
      body: JSON.stringify({
        'api-key': 'abcd1234', msisdn: from.replace('+', ''), to: '447700900000', messageId: id, text, keyword: text.split(' ')[0]?.toUpperCase(),
        type: gsm7.test(text) ? 'text' : 'unicode', 'message-timestamp': '2020-01-01 12:00:00',
      }), // prettier-ignore
      attempts: 0,
    })
    return id
  },
  isWaiting: (id: string) => waiting.some(({ body }) => body.includes(id)),
  deliver,
  submitted: () => submitted,
  requests: () => requests,
}

if (import.meta.main) servePeer(operations, { port: await listen() })
