import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CpuProfile, summarize } from './cpu-profile.ts'
import type { Instrument } from './instrument.ts'

/** The clock of V8's profiles. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n)

/** Where the threads of a server spend their time, by V8's sampling profiler. */
export const cpuInstrument: Instrument = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-cpu-'))
  const between = { fromUs: 0, toUs: 0 }
  try {
    await use({
      nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
      under: [],
      async measure(load) {
        between.fromUs = nowUs()
        await load()
        between.toUs = nowUs()
      },
    })
    const lines: string[] = []
    for (const file of (await readdir(folder)).toSorted()) {
      // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
      const thread = Number(file.split('.')[4])
      const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile
      const [first, ...others] = summarize(profile, between) ?? []
      if (first !== undefined)
        lines.push(`${thread === 0 ? 'Main thread' : `Thread ${thread}`}: ${first}`, ...others)
    }
    return lines
  } finally {
    await rm(folder, { recursive: true })
  }
}
