import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A peer in a process of its own, asked by name over the channel that Node keeps between parent and child. */
export interface PeerProcess<Ready> {
  pid: number
  /** What it said when it was ready: its port, mostly. */
  ready: Ready
  /** Rejects with the peer's reason, or when the peer ends before it answers. */
  call<T>(operation: string, argument?: unknown): Promise<T>
  /** Ends it at once, as a crash would; settles when it is gone. */
  kill(): Promise<void>
}

/** What a peer can be asked to do. Arguments and answers are copied. */
export type PeerOperations = Record<string, (argument: never) => unknown>

interface Call {
  id: number
  operation: string
  argument: unknown
}

type Answer = { id: number; value: unknown } | { id: number; error: string }

/** Runs `node <file> <args>`; settles when it has said that it is ready. It ends when this process ends. */
export async function startPeerProcess<Ready>(
  file: string,
  args: readonly string[],
  /** A command that runs it, such as one that enters another network. */
  through: readonly string[] = [],
): Promise<PeerProcess<Ready>> {
  const [command = process.execPath, ...rest] = [...through, process.execPath, file, ...args]
  const child = spawn(command, rest, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Structured clones: bytes stay bytes.
    serialization: 'advanced',
  })
  const ended = once(child, 'exit')
  const [first] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`${file} ended before it was ready.`))),
  ])) as [{ ready: Ready }]
  return {
    pid: child.pid as number,
    ready: first.ready,
    call: createCaller(child, file),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function createCaller(child: ChildProcess, file: string): PeerProcess<unknown>['call'] {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let lastId = 0
  child.on('message', (answer: Answer) => {
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) call?.reject(new Error(answer.error))
    else call?.resolve(answer.value as never)
  })
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended before it answered.`))
    waiting.clear()
  })
  return (operation, argument = null) =>
    new Promise((resolve, reject) => {
      const call: Call = { id: (lastId += 1), operation, argument }
      waiting.set(call.id, { resolve, reject })
      child.send(call, (error) => {
        if (error === null) return
        waiting.delete(call.id)
        reject(error)
      })
    })
}

/** The child's side. Started by hand, without a parent to talk to, it prints what it would have said. */
export function servePeer(operations: PeerOperations, ready: unknown): void {
  const send = process.send?.bind(process)
  if (send === undefined) {
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    return
  }
  process.on('disconnect', () => process.exit(0))
  process.on('message', (call: Call) => {
    void perform(operations, call).then((answer) => process.connected && send(answer))
  })
  send({ ready })
}

async function perform(operations: PeerOperations, { id, operation, argument }: Call): Promise<Answer> {
  try {
    const run = operations[operation]
    if (run === undefined) throw new Error(`There is no operation ${operation}.`)
    return { id, value: await run(argument as never) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
