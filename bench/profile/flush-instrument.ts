import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { percentiles } from '../percentiles.ts'
import type { Count, Instrument } from './instrument.ts'

interface Flush {
  file: string
  beganMs: number
  tookMs: number
}

/**
 * What a server flushes to the disk, by the calls that strace sees: how often each file, for how many messages each time, and how long it took.
 * Only those calls stop the server, which costs it a few microseconds each.
 */
export const flushInstrument: Instrument = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-flushes-'))
  const log = join(folder, 'calls')
  let seen: { count: Count; fromMs: number; toMs: number } | undefined
  try {
    await use({
      nodeOptions: [],
      // -D: what was spawned is the server, and strace its child.
      under: ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-y', '-ttt', '-T', '-e', 'trace=fsync,fdatasync', '-e', 'signal=none', '-o', log],
      async measure(load) {
        const fromMs = Date.now()
        const count = await load()
        seen = { count, fromMs, toMs: Date.now() }
      },
    })
    if (seen === undefined) throw new Error('Nothing was loaded.')
    const { count, fromMs, toMs } = seen
    const flushes = readFlushes(await readFile(log, 'utf8')).filter(({ beganMs }) => beganMs >= fromMs && beganMs <= toMs)
    return linesOf(flushes, count, toMs - fromMs)
  } finally {
    await rm(folder, { recursive: true })
  }
} // prettier-ignore

/** Reads `7 1763.5 fdatasync(25</data/onesixty.db-wal>) = 0 <0.000180>`, also where another thread's call comes between its beginning and its end. */
function readFlushes(log: string): Flush[] {
  const flushes: Flush[] = []
  const begun = new Map<string, Pick<Flush, 'file' | 'beganMs'>>()
  for (const line of log.split('\n')) {
    const [, thread, at, call] = /^(\d+)\s+([\d.]+) (.*)$/.exec(line) ?? []
    if (thread === undefined || at === undefined || call === undefined) continue
    const path = /^f\w+\(\d+<([^>]*)>/.exec(call)?.[1]
    if (path !== undefined) begun.set(thread, { file: basename(path), beganMs: Number(at) * 1_000 })
    const took = /<([\d.]+)>$/.exec(call)?.[1]
    const flush = begun.get(thread)
    if (took === undefined || flush === undefined) continue
    flushes.push({ ...flush, tookMs: Number(took) * 1_000 })
    begun.delete(thread)
  }
  return flushes
}

function linesOf(flushes: readonly Flush[], { units, unit }: Count, elapsedMs: number): string[] {
  if (flushes.length === 0) return [`None for ${units.toLocaleString('en')} ${unit}s.`]
  return [...Map.groupBy(flushes, ({ file }) => file)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([file, some]) => {
      const times = some.map(({ tookMs }) => tookMs)
      const sumMs = times.reduce((sum, ms) => sum + ms, 0)
      const { p50, p99 } = percentiles(times)
      return `${file}: ${some.length} for ${units.toLocaleString('en')} ${unit}s, ${(units / some.length).toFixed(1)} ${unit}s each; ${p50.toFixed(2)} ms at the median, ${p99.toFixed(2)} ms for 99 of 100; ${Math.round((100 * sumMs) / elapsedMs)} % of the time`
    })
}
