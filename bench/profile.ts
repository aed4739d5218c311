import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchRun, hundred, one } from './bench-run.ts'
import type { RequestShape } from './load-job.ts'
import { withServer } from './server-process.ts'

const subjects: Readonly<Record<string, { settings: string; shape: RequestShape }>> = {
  accept: { settings: 'offline=true', shape: one },
  'accept-many': { settings: 'offline=true', shape: hundred },
  life: { settings: 'delay_ms=0', shape: one },
  'life-many': { settings: 'delay_ms=0', shape: hundred },
}

/** Loads a server under V8's sampling profiler and prints where each of its threads spent its time. */
export async function profileServer(run: BenchRun, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const subject = subjects[name]
    if (subject === undefined)
      throw new Error(`--profile knows ${Object.keys(subjects).join(', ')}; it was '${name}'.`)
    const folder = await mkdtemp(join(tmpdir(), 'onesixty-profile-'))
    try {
      await withServer(
        { settings: [subject.settings], nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`] },
        ({ server, account }) => run.load(name, { server, token: account.liveKey, shape: subject.shape }),
      )
      process.stdout.write(`\n# ${name}\n${(await summaries(folder)).join('\n')}\n`)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
}

/** The part of a `.cpuprofile` that is read (Chrome DevTools Protocol, Profiler.Profile). */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const shown = 30
/** Threads that did next to nothing are left out. */
const leastBusyMs = 200

async function summaries(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).toSorted()
  const texts = await Promise.all(files.map(async (file) => {
    const thread = Number(file.split('.')[4])
    return summaryOf(thread, JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile)
  })) // prettier-ignore
  return texts.filter((text) => text !== null)
}

/** Self time by function, without what V8 was idle. */
function summaryOf(thread: number, { nodes, samples, timeDeltas }: CpuProfile): string | null {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const selfMs = new Map<string, number>()
  samples.forEach((id, i) => {
    const name = names.get(id) ?? '?'
    selfMs.set(name, (selfMs.get(name) ?? 0) + (timeDeltas[i] ?? 0) / 1000)
  })
  const idleMs = selfMs.get('(idle)') ?? 0
  selfMs.delete('(idle)')
  const busyMs = [...selfMs.values()].reduce((sum, ms) => sum + ms, 0)
  if (busyMs < leastBusyMs) return null
  const lines = [...selfMs]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([name, ms]) => `  ${((ms / busyMs) * 100).toFixed(1).padStart(5)} %  ${name}`)
  const title = thread === 0 ? 'Main thread' : `Thread ${thread}`
  return `${title}: busy ${Math.round(busyMs)} ms, idle ${Math.round(idleMs)} ms\n${lines.join('\n')}`
}

/** A function with the last two parts of its file's path. */
function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  if (url === '') return name
  return `${name}  ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
}
