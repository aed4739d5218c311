import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type CrashHouse, openCrashHouse } from './crash-house.ts'

/** Without the tool there is nothing to be proved: .ci/run installs it. */
const canTrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0

/** A call of the system that the server made, and where in the order of all of them it began and ended. */
interface Call {
  thread: string
  name: string
  said: string
  began: number
  ended: number
}

/** Half of them one by one, the other half at once. */
const sends = 50

describe.skipIf(!canTrace)('by the calls that the server makes of the system', () => {
  let house: CrashHouse
  let calls: Call[]
  let ids: string[]

  beforeAll(async () => {
    house = await openCrashHouse({ window: '20', delay_ms: '0' })
    const traced = await trace(house.server.pid)
    ids = []
    const send = async (n: number): Promise<void> => {
      const answer = await house.client.send(house.liveKey, { to: '+4915112345678', text: `flush-${n}-end` })
      expect(answer.status).toBe(202)
      ids[n] = answer.body.messages[0]!.id
    }
    for (let n = 0; n < sends / 2; n++) await send(n)
    await Promise.all(Array.from({ length: sends / 2 }, (_, i) => send(sends / 2 + i)))
    await house.drained()
    calls = readCalls(await traced.stop())
  })
  afterAll(() => house?.close())

  test('no 202 leaves before the write of its message was flushed to the disk', () => {
    const answers = calls.filter(({ said }) => said.includes('HTTP/1.1 202 Accepted'))
    expect(answers).toHaveLength(sends)
    ids.forEach((id, n) => {
      const answer = answers.find(({ said }) => said.includes(id))
      expect(flushedAt(`flush-${n}-end`), `${id} was flushed when it was answered`).toBeLessThan(
        answer!.began,
      )
    })
    const flushes = new Set(ids.map((_, n) => flushedAt(`flush-${n}-end`)))
    expect(flushes.size, 'some of them shared a flush').toBeLessThan(sends)
  })

  test('no message leaves for the peer before its attempt was flushed to the disk', () => {
    const attempts = house.peer.records().map(({ attempt_id }) => attempt_id)
    expect(attempts).toHaveLength(sends)
    for (const attempt of attempts) {
      const submission = calls.find(({ said }) => said.includes('attempt_id') && said.includes(attempt))
      expect(flushedAt(attempt), `${attempt} was flushed when it left`).toBeLessThan(submission!.began)
    }
  })

  /** Where the flush ended that followed the first write of these words to the file; infinite when none did. */
  function flushedAt(words: string): number {
    const write = calls.find(({ name, said }) => name === 'pwrite64' && said.includes(words))
    expect(write, `${words} was written`).toBeDefined()
    const isFlush = ({ thread, name, began }: Call): boolean =>
      thread === write!.thread && /^(fdatasync|fsync)$/.test(name) && began > write!.ended
    return calls.find(isFlush)?.ended ?? Infinity
  }
})

/** Watches every thread of a process from now on. */
async function trace(pid: number): Promise<{ stop(): Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-trace-'))
  const file = join(folder, 'calls')
  const what = 'trace=pwrite64,fdatasync,fsync,write,writev,sendmsg,sendto'
  // Texts are told whole: a page of the database has 4,096 bytes.
  const tracer = spawn('strace', ['-f', '-s', '8192', '-e', what, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  tracer.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await eventually(
    () => said,
    (text) => expect(text).toContain('attached'),
  )
  return {
    async stop() {
      tracer.kill('SIGINT')
      await once(tracer, 'close')
      const text = readFileSync(file, 'utf8')
      await rm(folder, { recursive: true })
      return text
    },
  }
}

/** The calls of a trace; what one line begins and a later one ends is one call. */
function readCalls(text: string): Call[] {
  const calls: Call[] = []
  const open = new Map<string, Call>()
  text.split('\n').forEach((line, at) => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest)
    if (resumed !== null) {
      const call = open.get(thread)
      if (call !== undefined) call.ended = at
      open.delete(thread)
      return
    }
    const name = /^(\w+)\(/.exec(rest)?.[1]
    if (name === undefined) return
    const isOpen = rest.endsWith('<unfinished ...>')
    const call = { thread, name, said: rest, began: at, ended: isOpen ? Infinity : at }
    calls.push(call)
    if (isOpen) open.set(thread, call)
  })
  return calls
}
