import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { nameOfProgram } from '../../src/start-over.ts'
import { cliProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { isPostgres } from '../test-database.ts'

/** Each process and each of its threads says at its end, in a file, whether it has loaded what strips types, and where it keeps modules. */
const tellingAtTheEnd = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    import { getCompileCacheDir } from 'node:module'
    const strips = () => process.moduleLoadList.some((name) => name.includes('amaro'))
    const says = () => ({ pid: process.pid, main: isMainThread, strips: strips(), keeps: getCompileCacheDir() })
    const tell = () => appendFileSync(${JSON.stringify(file)}, JSON.stringify(says()) + '\\n')
    process.on('exit', tell)
    // A thread of a slow machine: half a second is over before the next one has started.
    const later = setTimeout
    if (!isMainThread) globalThis.setTimeout = (task, ms, ...args) => later(task, ms === 500 ? 10 : ms, ...args)
    const { execve } = process
    process.execve = (...args) => (tell(), execve.apply(process, args))
  `)}`

interface Told {
  pid: number
  main: boolean
  strips: boolean
  keeps: string
}

const readTold = async (file: string): Promise<Told[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Told)

/** Starts a server with that folder for caches, stops it, and gives what was told, each process before its threads. */
async function startAndStop(caches: string, env: Record<string, string> = {}): Promise<Told[]> {
  const dataFolder = await emptyFolder()
  const told = join(dataFolder, 'told')
  const server = await startServerProcess({
    ofCheckout: true,
    dataFolder,
    env: { XDG_CACHE_HOME: caches, ...env },
    flags: ['--import', tellingAtTheEnd(told)],
  })
  expect(await server.stop()).toMatchObject({ code: 0 })
  return readTold(told)
}

/** A command that opens nothing finds its modules as a server does, and starts no process anew. */
async function runCommand(caches: string): Promise<Told[]> {
  const dataFolder = await emptyFolder()
  const told = join(dataFolder, 'told')
  const env = { XDG_CACHE_HOME: caches, NODE_OPTIONS: `--import ${tellingAtTheEnd(told)}` }
  expect(await cliProcess(['--version'], { ofCheckout: true, dataFolder, env })).toMatchObject({ code: 0 })
  return readTold(told)
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
  return folder
}

interface FirstStart {
  caches: string
  told: Told[]
}

let firstStart: Promise<FirstStart> | undefined
/** The first start of all, which strips every module: that takes four seconds of a processor. */
const startFirst = (): Promise<FirstStart> =>
  (firstStart ??= (async () => {
    const caches = await temporaryFolder()
    return { caches, told: await startAndStop(caches) }
  })())
afterAll(async () => {
  if (firstStart !== undefined) await rm((await firstStart).caches, { recursive: true, force: true })
})

/** A folder as the first start left it, to be changed. */
async function copyOfCaches(): Promise<string> {
  const folder = await emptyFolder()
  await cp((await startFirst()).caches, folder, { recursive: true, preserveTimestamps: true })
  return folder
}

test('the first start after an installation strips all modules and gives way to a second one, as the same process, which strips none in any thread', async () => {
  const {
    caches,
    told: [first, ...second],
  } = await startFirst()
  expect(first).toMatchObject({ main: true, strips: true })
  expect(counted(second)).toEqual(everyThread)
  for (const { pid, strips } of second) expect({ pid, strips }).toEqual({ pid: first?.pid, strips: false })

  const later = await startAndStop(caches)
  expect(counted(later)).toEqual(everyThread)
  expect(later.filter(({ strips }) => strips)).toEqual([])
}, 60_000)

/** What the main thread of each process of a start says, one after the other. */
const mains = async (caches: string, env?: Record<string, string>): Promise<boolean[]> =>
  (await startAndStop(caches, env)).filter(({ main }) => main).map(({ strips }) => strips)

test('a server that can keep no modules, or has started over already, strips what it needs and serves', async () => {
  const noFolder = join(await emptyFolder(), 'a-file')
  await writeFile(noFolder, '')
  expect(await mains(noFolder)).toEqual([true])
  expect(await mains(await emptyFolder(), { STARTED_OVER: '1' })).toEqual([true])
}, 60_000)

test('nothing is run from a folder of another user, or where others may write, or that they may replace: each start strips what it needs', async ({
  skip,
}) => {
  const caches = await copyOfCaches()
  const modules = join(caches, 'onesixty', 'modules')
  const main = { main: true, pid: expect.any(Number) }
  const stripsNothing = [{ ...main, strips: false, keeps: expect.stringContaining(modules) }]
  const stripsWhatItNeeds = [{ ...main, strips: true }]
  expect(await runCommand(caches)).toEqual(stripsNothing)
  for (const folder of [modules, join(caches, 'onesixty')]) {
    await chmod(folder, 0o777)
    expect(await runCommand(caches)).toEqual(stripsWhatItNeeds)
    await chmod(folder, 0o700)
  }
  expect(await runCommand(caches)).toEqual(stripsNothing)
  if (process.getuid?.() !== 0) skip('only root gives a folder away')
  await chown(modules, 12_345, 12_345)
  expect(await runCommand(caches)).toEqual(stripsWhatItNeeds)
}, 60_000)

test('no thread goes through a link to where modules are kept: others could turn it once it was looked at', async () => {
  const caches = await emptyFolder()
  const link = join(await emptyFolder(), 'caches')
  await symlink(caches, link)
  const told = await startAndStop(link)
  expect(told.length).toBeGreaterThan(1)
  const real = join(await realpath(caches), 'onesixty', 'modules')
  for (const { keeps } of told) expect(dirname(keeps)).toBe(real)
}, 60_000)

test('a mark that cannot be read keeps no server from its start', async () => {
  const caches = await copyOfCaches()
  const kept = join(caches, 'onesixty', 'modules')
  const paths = await readdir(kept, { recursive: true })
  const mark = paths.find((path) => basename(path).startsWith('stripped-')) ?? ''
  await rm(join(kept, mark))
  await mkdir(join(kept, mark))
  expect(await mains(caches)).toHaveLength(1)
}, 60_000)

test('a program is another one once any of its modules is, whenever that is loaded', async () => {
  const folder = await emptyFolder()
  await mkdir(join(folder, 'smpp'))
  const file = join(folder, 'smpp', 'link.ts')
  await writeFile(join(folder, 'main.ts'), 'first')
  await writeFile(file, 'first')
  await utimes(file, 1, 1)
  const name = nameOfProgram(folder)
  await writeFile(join(folder, 'main.js'), 'no module of the program')
  expect(nameOfProgram(folder)).toBe(name)
  await utimes(file, 2, 2)
  expect(nameOfProgram(folder)).not.toBe(name)
})
