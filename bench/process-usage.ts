import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Resident memory of a process in MB (10^6 bytes), from Linux's /proc. */
export function residentMegabytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`The process ${pid} says nothing of its memory.`)
  return (Number(kib) * 1024) / 1_000_000
}

/** Samples memory four times a second until it is stopped, or the process has ended; then gives all samples, oldest first. */
export function watchMemory(pid: number): { stop(): number[] } {
  const samples = [residentMegabytes(pid)]
  const timer = setInterval(() => {
    if (existsSync(`/proc/${pid}/status`)) samples.push(residentMegabytes(pid))
    else clearInterval(timer)
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return [...samples, residentMegabytes(pid)]
    },
  }
}

/** Linux counts processor time of threads in ticks of 10 ms. */
const tickMs = 10

/** Processor time of each thread of a process so far, in milliseconds, by thread id. The main thread has the id of the process. */
function threadTimes(pid: number): Map<number, number> {
  const times = new Map<number, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    // The name in parentheses may hold spaces; utime and stime are the 12th and 13th field behind it.
    const fields =
      readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    times.set(Number(thread), (Number(fields[11]) + Number(fields[12])) * tickMs)
  }
  return times
}

/** What a process used of one core while it was watched: its main thread, its busiest other threads, all together. */
export interface ProcessorUse {
  main: number
  others: number[]
  total: number
  totalMs: number
}

/** Watches the threads of a process until `stop`. */
export function watchProcessor(pid: number): { stop(): ProcessorUse } {
  const before = threadTimes(pid)
  const startedMs = performance.now()
  return {
    stop() {
      const elapsedMs = performance.now() - startedMs
      const used = [...threadTimes(pid)].map(([thread, ms]) => ({
        thread,
        ms: ms - (before.get(thread) ?? 0),
      }))
      const totalMs = used.reduce((sum, { ms }) => sum + ms, 0)
      const share = ({ ms }: { ms: number }): number => ms / elapsedMs
      return {
        main: used.filter(({ thread }) => thread === pid).map(share)[0] ?? 0,
        others: used
          .filter(({ thread }) => thread !== pid)
          .map(share)
          .toSorted((a, b) => b - a),
        total: totalMs / elapsedMs,
        totalMs,
      }
    },
  }
}

/** Which threads of the server were busy, as a clause; one that did next to nothing is left out. */
export function sayProcessorUse({ main, others }: ProcessorUse): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const busy = others.filter((share) => share >= 0.05).map(percent)
  const threads = busy.length === 0 ? '' : `, its other threads ${busy.join(' + ')}`
  return `of a core the main thread used ${percent(main)}${threads}`
}
