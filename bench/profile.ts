import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRun } from './bench-run.ts'
import { type CpuProfile, summarize } from './cpu-profile.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import { withServer } from './server-process.ts'

/** What can be profiled. */
export type ProfileName = 'accept' | 'accept-many' | 'life' | 'life-many'

const subjects: Readonly<Record<ProfileName, { settings: string; shape: RequestShape }>> = {
  accept: { settings: 'offline=true', shape: one },
  'accept-many': { settings: 'offline=true', shape: hundred },
  life: { settings: 'delay_ms=0', shape: one },
  'life-many': { settings: 'delay_ms=0', shape: hundred },
}

/** The clock of the profiles. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n)

/** Reads `accept,life`. */
export function readProfileNames(text: string): ProfileName[] {
  return text.split(',').map((name) => {
    if (!Object.hasOwn(subjects, name))
      throw new Error(`--profile knows ${Object.keys(subjects).join(', ')}; it was '${name}'.`)
    return name as ProfileName
  })
}

/** Loads a server under V8's sampling profiler and tells, in lines, where each of its threads spent its time. */
export async function profileServer(
  run: Pick<BenchRun, 'load' | 'lengths'>,
  name: ProfileName,
): Promise<string> {
  const { settings, shape } = subjects[name]
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-profile-'))
  try {
    let between = { fromUs: 0, toUs: 0 }
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
    await withServer({ settings: [settings], nodeOptions }, async ({ server, account }) => {
      const startedUs = nowUs()
      await run.load(name, { server, token: account.liveKey, shape })
      between = { fromUs: startedUs + run.lengths.warmUpMs * 1000, toUs: nowUs() }
    })
    return (await summaries(folder, between)).join('\n')
  } finally {
    await rm(folder, { recursive: true })
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
