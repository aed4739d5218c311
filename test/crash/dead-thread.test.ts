import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import type { ProcessEnd } from '../server-child.ts'

/** Loaded into the server in front of everything: ends its first or second thread at a signal, as a fault of the machine would. */
const threadKiller = `
  import { isMainThread, Worker } from 'node:worker_threads'
  if (isMainThread) {
    const threads = new Set()
    const { unref } = Worker.prototype
    Worker.prototype.unref = function () { threads.add(this); return unref.call(this) }
    process.on('SIGUSR2', () => [...threads][0].terminate())
    process.on('SIGPWR', () => [...threads][1].terminate())
  }`
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(threadKiller)}` }

test.concurrent.for([
  ['writes', 'SIGUSR2'],
  ['reads', 'SIGPWR'],
] as const)(
  'a server whose thread that %s the database is dead says so and ends, and the next one takes over',
  async ([, signal], { onTestFinished }) => {
    const dataFolder = await temporaryFolder()
    onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
    const server = await startServerProcess({ dataFolder, env })
    onTestFinished(async () => void (await server.kill('SIGKILL')))
    let end: ProcessEnd | null = null
    void server.kill(signal).then((seen) => (end = seen))
    await eventually(
      () => end,
      (seen) => expect(seen).toEqual({ code: 1, signal: null }),
      30_000,
    )
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    const fatal = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'fatal')
    expect(fatal).toMatchObject([{ msg: expect.stringContaining('the database thread ended') }])

    const next = await startServerProcess({ dataFolder })
    onTestFinished(async () => void (await next.kill('SIGKILL')))
    expect(await next.stop()).toEqual({ code: 0, signal: null })
  },
)
