import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRun, LoadTarget } from './bench-run.ts'
import { type CpuProfile, summarize } from './cpu-profile.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import { type LargeDatabase, openLargeDatabase } from './large-database.ts'
import { changedSince } from './read-paths.ts'
import {
  type BenchAccount,
  type BenchFolder,
  type ServerProcess,
  startServer,
  withServer,
} from './server-process.ts'
import { wideLink, withBenchSmsc } from './smpp-link.ts'
import { profileStatements } from './statement-profile.ts'

/** What can be profiled. */
export type ProfileName = keyof typeof subjects

const subjects = {
  accept: { settings: 'offline=true', shape: one },
  'accept-many': { settings: 'offline=true', shape: hundred },
  life: { settings: 'delay_ms=0', shape: one },
  'life-many': { settings: 'delay_ms=0', shape: hundred },
  'smpp-life': { settings: 'offline=true', shape: one, overSmpp: true },
  'smpp-life-many': { settings: 'offline=true', shape: hundred, overSmpp: true },
  'accept-postgres': { settings: 'offline=true', shape: one, onPostgres: true },
  'life-postgres': { settings: 'delay_ms=0', shape: one, onPostgres: true },
  'life-many-postgres': { settings: 'delay_ms=0', shape: hundred, onPostgres: true },
  /** Reads are profiled on the smaller of the two databases with many messages. */
  'changed-since': { paths: changedSince },
  status: { paths: () => ['/api/v1/status'] },
} satisfies Readonly<Record<string, Subject>>

type Subject =
  | { settings: string; shape: RequestShape; overSmpp?: true; onPostgres?: true }
  | { paths: (database: LargeDatabase) => readonly string[] }

interface Served {
  folder: BenchFolder
  account: BenchAccount
  server: ServerProcess
}

/** The clock of the profiles. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n)

export const profileNames: readonly string[] = Object.keys(subjects)

/** Reads `accept,life`. */
export function readProfileNames(text: string): ProfileName[] {
  return text.split(',').map((name) => {
    if (!Object.hasOwn(subjects, name))
      throw new Error(`--profile knows ${profileNames.join(', ')}; it was '${name}'.`)
    return name as ProfileName
  })
}

/** Loads a server under V8's sampling profiler and tells, in lines, where each of its threads spent its time. */
export async function profileServer(
  run: Pick<BenchRun, 'load' | 'lengths' | 'say'>,
  name: ProfileName,
): Promise<string> {
  const subject: Subject = subjects[name]
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-profile-'))
  const statements: string[] = []
  try {
    let between = { fromUs: 0, toUs: 0 }
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
    const measure = async (load: () => Promise<unknown>): Promise<void> => {
      const startedUs = nowUs()
      await load()
      between = { fromUs: startedUs + run.lengths.warmUpMs * 1000, toUs: nowUs() }
    }
    if ('paths' in subject)
      await loadReads(run, nodeOptions, subject.paths, (target) => measure(() => run.load(name, target)))
    else {
      const loadSends = (prepare: (served: Served) => Promise<void>, databaseUrl?: string): Promise<void> =>
        withServer({ settings: [subject.settings], nodeOptions, databaseUrl }, async (served) => {
          await prepare(served)
          const { server, account } = served
          await measure(() => run.load(name, { server, token: account.liveKey, shape: subject.shape }))
        })
      if (subject.onPostgres)
        statements.push(await profileStatements(({ databaseUrl, begin }) => loadSends(begin, databaseUrl)))
      else await (subject.overSmpp ? withBenchSmsc(wideLink, loadSends) : loadSends(async () => undefined))
    }
    return [...(await summaries(folder, between)), ...statements].join('\n')
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Reads, as fast as they are answered. */
async function loadReads(
  run: Pick<BenchRun, 'lengths' | 'say'>,
  nodeOptions: readonly string[],
  paths: (database: LargeDatabase) => readonly string[],
  measure: (target: LoadTarget) => Promise<void>,
): Promise<void> {
  const database = await openLargeDatabase(run.lengths.largeDatabase / 100, run.say)
  const server = await startServer(database.folder, nodeOptions)
  try {
    const shape = { kind: 'get', paths: paths(database) } as const
    await measure({ server, token: database.liveKey, shape, expectedStatus: 200, connections: 4 })
  } finally {
    await server.stop()
  }
}

async function summaries(folder: string, between: { fromUs: number; toUs: number }): Promise<string[]> {
  const files = (await readdir(folder)).toSorted()
  const texts: string[] = []
  for (const file of files) {
    // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
    const thread = Number(file.split('.')[4])
    const lines = summarize(JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile, between)
    if (lines !== null)
      texts.push(`${thread === 0 ? 'Main thread' : `Thread ${thread}`}: ${lines.join('\n')}`)
  }
  return texts
}
