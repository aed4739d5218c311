import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { arch, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { median, msOf } from './figure.ts'

/** What ran the bench, in one line. */
export function describeMachine(): string {
  const processors = cpus()
  const gigabytes = (totalmem() / 1_000_000_000).toFixed(1)
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  return `${model}, ${processors.length} cores, ${gigabytes} GB, ${type()} ${release()} ${arch()}, Node.js ${process.versions.node}`
}

const flushes = 200

/** How long the disk takes to flush one page, which bounds what one connection alone can get accepted. */
export function measureFlush(): string {
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-flush-'))
  const file = openSync(join(folder, 'page'), 'w')
  const times = Array.from({ length: flushes }, (_, i) => {
    const startedMs = performance.now()
    writeSync(file, Buffer.alloc(4096, i), 0, 4096, i * 4096)
    fdatasyncSync(file)
    return performance.now() - startedMs
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return `${msOf(median(times))} at the median of ${flushes}, ${msOf(Math.max(...times))} at most`
}

/** Linux counts processor time in ticks of 10 ms. */
const ticksPerSecond = 100

/**
 * Watches how much of the machine somebody else had, because a ratio from a busy machine says little: gives a clause with the share of all
 * processors that was used by other processes, and that the hypervisor took. `childPids` are children of this process that still run.
 */
export function watchDisturbance(): { stop(childPids: readonly number[]): string } {
  const before = machineTicks()
  const ownBefore = ownTicks([])
  const loadBefore = loadavg()
  return {
    stop(childPids) {
      const after = machineTicks()
      const all = after.all - before.all
      const foreign = after.busy - before.busy - (ownTicks(childPids) - ownBefore)
      const percent = (ticks: number): string => `${Math.max(0, Math.round((ticks / all) * 100))} %`
      const load = loadBefore.map((value) => value.toFixed(2)).join(' ')
      const seconds = Math.round(all / cpus().length / ticksPerSecond)
      return `load average ${load} before; in ${seconds} s other processes used ${percent(foreign)} of all processor time, and the hypervisor took ${percent(after.stolen - before.stolen)}`
    },
  }
}

function machineTicks(): { all: number; busy: number; stolen: number } {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? []
  const busy = user + nice + system + irq + softirq
  return { all: busy + idle + iowait + stolen, busy, stolen }
}

/** This process, its children that have ended, and those named that have not. */
const ownTicks = (childPids: readonly number[]): number =>
  ['self', ...childPids].reduce<number>((sum, pid) => {
    // utime, stime, cutime and cstime are the 12th to 15th field behind the name in parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (
      sum +
      fields
        .slice(11, 15)
        .map(Number)
        .reduce((all, ticks) => all + ticks, 0)
    )
  }, 0)
