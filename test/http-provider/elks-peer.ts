import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface ElksMessage {
  id: string
  to: string
  message: string
  whendelivered: string | null
}

/** What `POST /peer` of test/peers/elks-peer.py is asked. */
interface Asked {
  set?: { mode: 'yes' | 'close' | 'hang' }
  /** Lets it call about all messages with this word for their state. */
  deliver?: string
  receive?: { url: string; sender: string; text: string }
}

/** The provider of test/peers/elks-peer.py, in a process of its own. */
export interface ElksPeer {
  url: string
  ask<T = { requests: number; messages: ElksMessage[] }>(asked: Asked): Promise<T>
  stop(): Promise<void>
}

/** Starts it; it ends at the latest with this process. */
export async function startElksPeer(): Promise<ElksPeer> {
  const child = spawn('python3', [join(import.meta.dirname, '../peers/elks-peer.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async ask<T>(asked: Asked) {
      const answer = await fetch(`${url}/peer`, { method: 'POST', body: JSON.stringify(asked) })
      return ((await answer.json()) as { value: T }).value
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}
