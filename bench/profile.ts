import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRun } from './bench-run.ts'
import { type CpuProfile, summarize } from './cpu-profile.ts'
import { hundred, one, type RequestShape } from './load-job.ts'
import { withServer } from './server-process.ts'

const subjects: Readonly<Record<string, { settings: string; shape: RequestShape }>> = {
  accept: { settings: 'offline=true', shape: one },
  'accept-many': { settings: 'offline=true', shape: hundred },
  life: { settings: 'delay_ms=0', shape: one },
  'life-many': { settings: 'delay_ms=0', shape: hundred },
}

/** The clock of the profiles. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n)

/** Loads a server under V8's sampling profiler and prints where each of its threads spent its time. */
export async function profileServer(
  run: Pick<BenchRun, 'load' | 'lengths'>,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const subject = subjects[name]
    if (subject === undefined)
      throw new Error(`--profile knows ${Object.keys(subjects).join(', ')}; it was '${name}'.`)
    const folder = await mkdtemp(join(tmpdir(), 'onesixty-profile-'))
    try {
      let between = { fromUs: 0, toUs: 0 }
      const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
      await withServer({ settings: [subject.settings], nodeOptions }, async ({ server, account }) => {
        const startedUs = nowUs()
        await run.load(name, { server, token: account.liveKey, shape: subject.shape })
        between = { fromUs: startedUs + run.lengths.warmUpMs * 1000, toUs: nowUs() }
      })
      process.stdout.write(`\n# ${name}\n${(await summaries(folder, between)).join('\n')}\n`)
    } finally {
      await rm(folder, { recursive: true })
    }
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
