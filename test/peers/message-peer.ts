import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

/** One line of the log: a message as it was posted, and what the peer answered. */
export interface PeerRecord {
  attempt_id: string
  to: string
  from: string | null
  text: string
  parts: number
  /** Wall clock of the peer. */
  received_at: number
  /** The status answered; null when the connection was dropped instead. */
  answered: number | null
}

/** How it behaves; every knob may also stand in the query of a request, which then wins: `/?delay_ms=100&status=503&drop=true`. */
interface Knobs {
  delayMs: number
  status: number
  drop: boolean
}

/**
 * The witness of the simulator: a process of its own that writes down each message posted to it, before it answers. What
 * stands in its log was handed over, whatever became of the process that posted it. Lines are written (not flushed to the
 * disk) before the answer, so the log outlives a kill -9 of both sides, not a power cut.
 *
 *     node test/peers/message-peer.ts --port 0 --log peer.ndjson [--delay-ms 0] [--status 200] [--drop] [--with-parent]
 *
 * Prints `{"port":…}` once it listens. `--with-parent` ends it when its standard input closes, so that no orphan stays.
 */
function main(): void {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      'delay-ms': { type: 'string', default: '0' },
      status: { type: 'string', default: '200' },
      drop: { type: 'boolean', default: false },
      'with-parent': { type: 'boolean', default: false },
    },
  })
  if (values.log === undefined) throw new Error('--log needs a file')
  const knobs = { delayMs: Number(values['delay-ms']), status: Number(values.status), drop: values.drop }
  const server = createMessagePeer(openSync(values.log, 'a'), knobs)
  server.listen(Number(values.port), '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
  if (values['with-parent']) process.stdin.resume().once('end', () => process.exit(0))
}

/** A running peer, as tests see it. */
export interface MessagePeer {
  url: string
  pid: number
  /** All that it has received so far, oldest first. */
  records(): PeerRecord[]
  stop(): Promise<void>
}

/** Starts the peer as a process of its own that logs to `logFile`; settles when it listens. */
export async function startMessagePeer(
  logFile: string,
  options: readonly string[] = [],
): Promise<MessagePeer> {
  const args = [import.meta.filename, '--log', logFile, '--with-parent', ...options]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('The peer ended before it listened.'))),
  ])) as [Buffer]
  const { port } = JSON.parse(line.toString()) as { port: number }
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid as number,
    records: readLines<PeerRecord>(logFile),
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Returns what gives all whole lines so far of a file that grows; each call reads what is new. Proofs ask 40 times a second, for an hour. */
function readLines<T>(file: string): () => T[] {
  const read: T[] = []
  let at = 0
  return () => {
    const fd = openSync(file, 'r')
    const bytes = Buffer.alloc(fstatSync(fd).size - at)
    readSync(fd, bytes, 0, bytes.length, at)
    closeSync(fd)
    const end = bytes.lastIndexOf(10) + 1
    at += end
    for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1))
      read.push(JSON.parse(line) as T)
    return [...read]
  }
}

interface Posted {
  record: PeerRecord
  knobs: Knobs
  response: ServerResponse
}

function createMessagePeer(logFile: number, defaults: Knobs): Server {
  let received: Posted[] = []
  /** All messages of one turn of the event loop share one write. */
  const writeDown = (): void => {
    const posted = received
    received = []
    appendFileSync(logFile, posted.map(({ record }) => `${JSON.stringify(record)}\n`).join(''))
    for (const { knobs, response } of posted) {
      if (knobs.delayMs === 0) answer(knobs, response)
      else setTimeout(() => answer(knobs, response), knobs.delayMs)
    }
  }
  // 0 keeps idle connections for ever: a connection that closes just as a message is written leaves its outcome unknown.
  return createServer({ keepAliveTimeout: 0 }, (request, response) => {
    readBody(request, (body) => {
      const message = parseMessage(body)
      if (request.method !== 'POST' || message === null) {
        response.writeHead(400).end()
        return
      }
      const knobs = readKnobs(request.url ?? '/', defaults)
      const answered = knobs.drop ? null : knobs.status
      received.push({ record: { ...message, received_at: Date.now(), answered }, knobs, response })
      if (received.length === 1) setImmediate(writeDown)
    })
  })
}

function answer({ drop, status }: Knobs, response: ServerResponse): void {
  if (drop) response.destroy()
  else response.writeHead(status, { 'content-length': '0' }).end()
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
}

function readKnobs(url: string, defaults: Knobs): Knobs {
  if (!url.includes('?')) return defaults
  const query = new URL(url, 'http://peer').searchParams
  return {
    delayMs: Number(query.get('delay_ms') ?? defaults.delayMs),
    status: Number(query.get('status') ?? defaults.status),
    drop: query.has('drop') ? query.get('drop') === 'true' : defaults.drop,
  }
}

function parseMessage(body: string): Omit<PeerRecord, 'received_at' | 'answered'> | null {
  try {
    const value: unknown = JSON.parse(body)
    const isMessage = typeof value === 'object' && value !== null && 'attempt_id' in value && 'text' in value
    return isMessage ? (value as Omit<PeerRecord, 'received_at' | 'answered'>) : null
  } catch {
    return null
  }
}

if (import.meta.main) main()
