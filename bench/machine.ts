import { arch, cpus, loadavg, release, totalmem, type } from 'node:os'

export interface Machine {
  summary: string
  loadAverage: string
}

/** What ran the bench, in one line. */
export function describeMachine(): Machine {
  const processors = cpus()
  const gigabytes = (totalmem() / 1_000_000_000).toFixed(1)
  return {
    summary: `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${gigabytes} GB, ${type()} ${release()} ${arch()}, Node.js ${process.versions.node}`,
    loadAverage: loadavg().map((load) => load.toFixed(2)).join(' '),
  } // prettier-ignore
}
