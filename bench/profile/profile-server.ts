import type { BenchRun } from '../bench-run.ts'
import { cpuInstrument } from './cpu-instrument.ts'
import { flushInstrument } from './flush-instrument.ts'
import { heapInstrument } from './heap-instrument.ts'
import type { Instrument } from './instrument.ts'
import type { ProfileName } from './profile-names.ts'
import { subjects } from './subjects.ts'

const instruments: Readonly<Record<string, Instrument>> = {
  'Processor time': cpuInstrument,
  Allocations: heapInstrument,
  Flushes: flushInstrument,
}

/** What an instrument saw, in lines. */
export interface Seen {
  title: string
  lines: readonly string[]
}

/** Loads a server once under each instrument: none may be seen in what another measures. */
export async function profileServer(run: BenchRun, name: ProfileName): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const [title, look] of Object.entries(instruments)) {
    run.say(`${name}: ${title.toLowerCase()}`)
    const besides: string[] = []
    const lines = await look(async (probe) => void besides.push(...(await subjects[name](run, probe))))
    seen.push({ title, lines: [...lines, ...(look === heapInstrument ? [] : besides)] })
  }
  return seen
}
