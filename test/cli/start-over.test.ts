import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import { isPostgres } from '../test-database.ts'

/** Each process and each of its threads says at its end, in a file, whether it has loaded what strips types. */
const tellingAtTheEnd = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    const says = () => ({ pid: process.pid, main: isMainThread, strips: process.moduleLoadList.some((name) => name.includes('amaro')) })
    const tell = () => appendFileSync(${JSON.stringify(file)}, JSON.stringify(says()) + '\\n')
    process.on('exit', tell)
    const { execve } = process
    process.execve = (...args) => (tell(), execve.apply(process, args))
  `)}`

/** Starts a server that keeps its modules in that folder, stops it, and gives what was told, each process before its threads. */
async function startAndStop(kept: string, env: Record<string, string> = {}) {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const told = join(dataFolder, 'told')
  const server = await startServerProcess({
    dataFolder,
    env: { TMPDIR: kept, ...env },
    flags: ['--import', tellingAtTheEnd(told)],
  })
  expect(await server.stop()).toMatchObject({ code: 0 })
  const lines = (await readFile(told, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as { pid: number; main: boolean; strips: boolean })
}

/** The embedded database has two threads, one that writes and one that reads; a server of PostgreSQL's has none. Each has told. */
const everyThread = { mains: 1, threads: isPostgres ? 0 : 2 }

const counted = (told: readonly { main: boolean }[]): { mains: number; threads: number } => ({
  mains: told.filter(({ main }) => main).length,
  threads: told.filter(({ main }) => !main).length,
})

async function emptyFolder(): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const kept = join(folder, 'kept')
  await mkdir(kept)
  return kept
}

test('the first start after an installation strips all modules and gives way to a second one, as the same process, which strips none in any thread', async () => {
  const kept = await emptyFolder()
  const [first, ...second] = await startAndStop(kept)
  expect(first).toMatchObject({ main: true, strips: true })
  expect(counted(second)).toEqual(everyThread)
  for (const { pid, strips } of second) expect({ pid, strips }).toEqual({ pid: first?.pid, strips: false })

  const later = await startAndStop(kept)
  expect(counted(later)).toEqual(everyThread)
  expect(later.filter(({ strips }) => strips)).toEqual([])
}, 60_000)

test('a server that can keep no modules, or has started over already, strips what it needs and serves', async () => {
  const noFolder = join(await emptyFolder(), 'a-file')
  await writeFile(noFolder, '')
  const mains = async (kept: string, env?: Record<string, string>) =>
    (await startAndStop(kept, env)).filter(({ main }) => main).map(({ strips }) => strips)
  expect(await mains(noFolder)).toEqual([true])
  expect(await mains(await emptyFolder(), { STARTED_OVER: '1' })).toEqual([true])
}, 60_000)
