import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface ProcessEnd {
  /** Null when a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
}

/** A process whose output and end are kept. */
export interface WatchedChild {
  /** Everything that it has written so far, to standard output and standard error. */
  output(): string
  /** Null until it has ended. */
  end(): ProcessEnd | null
  /** Settles when it has ended, of itself or not, and all that it wrote is read. */
  ended: Promise<ProcessEnd>
}

/** Keeps what a process writes, and how it ends. */
export function watchChild(child: ChildProcess): WatchedChild {
  let output = ''
  let end: ProcessEnd | null = null
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<ProcessEnd>((resolve) =>
    child.once('close', (code, signal) => resolve((end = { code, signal }))),
  )
  return { output: () => output, end: () => end, ended }
}

/**
 * Waits until a server that was started is ready, on the loopback interface, and has said what it has to say (`hasSaid`). Throws with what it wrote when it
 * ends before, and after `readyWithinMs`, having it ended by `giveUp`.
 */
export async function untilReady(
  { output, end }: WatchedChild,
  {
    port,
    hasSaid = () => true,
    readyWithinMs,
    giveUp,
  }: { port: number; hasSaid?: (output: string) => boolean; readyWithinMs: number; giveUp: () => unknown },
): Promise<void> {
  const isReady = async (): Promise<boolean> =>
    hasSaid(output()) && (await listens(port)) && (await respondsOk(`http://127.0.0.1:${port}/readyz`))
  const deadlineMs = performance.now() + readyWithinMs
  while (!(await isReady())) {
    const ended = end()
    if (ended !== null)
      throw new Error(`The server ended with ${ended.code ?? ended.signal} before it was ready: ${output()}`)
    if (performance.now() > deadlineMs) {
      await giveUp()
      throw new Error(`The server was not ready within ${readyWithinMs} ms: ${output()}`)
    }
    await wait(10)
  }
}

/** The client of HTTP costs a server that starts a tenth of its time when it is asked for nothing all along. */
const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function respondsOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/** What a first start prints. */
export interface Welcome {
  accountId: string
  liveKey: string
  testKey: string
}

/** Reads the account and the keys that a first start printed; empty where it printed none. */
export function readWelcome(output: string): Welcome {
  const find = (label: string): string => new RegExp(`${label} +(\\S+)`).exec(output)?.[1] ?? ''
  return { accountId: find('account'), liveKey: find('live key'), testKey: find('test key') }
}
