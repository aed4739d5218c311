import { addTo, type CallFrame, isOurs, nameOf, nameWithin, shareLines } from './frames.ts'

/** The parts of a `.cpuprofile` that are read (Chrome DevTools Protocol, Profiler.Profile). Times are microseconds of the monotonic clock. */
export interface CpuProfile {
  nodes: {
    id: number
    callFrame: CallFrame
    children?: number[]
    positionTicks?: { line: number; ticks: number }[]
  }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

const shownSelf = 25
const shownTotal = 20

/**
 * What a thread did between two instants, as lines: its functions by the time spent in themselves, then ours by the time spent in them and
 * whatever they called. Null for a thread that did next to nothing.
 */
export function summarize(profile: CpuProfile, between: { fromUs: number; toUs: number }): string[] | null {
  const { self, total, idleUs } = addUp(profile, between)
  const busyUs = [...self.values()].reduce((sum, us) => sum + us, 0)
  if (busyUs < 0.03 * (between.toUs - between.fromUs)) return null
  return [
    `busy ${Math.round(busyUs / 1000)} ms, idle ${Math.round(idleUs / 1000)} ms`,
    ' by itself',
    ...shareLines(self, { sum: busyUs, shown: shownSelf }),
    ...linesOfBusiest(profile),
    ' with all that it calls (ours only)',
    ...shareLines(total, { sum: busyUs, shown: shownTotal }),
  ]
}

function addUp(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  { fromUs, toUs }: { fromUs: number; toUs: number },
) {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const self = new Map<string, number>()
  const total = new Map<string, number>()
  let atUs = startTime
  let idleUs = 0
  samples.forEach((id, i) => {
    const us = timeDeltas[i] ?? 0
    atUs += us
    const frame = frames.get(id)
    if (atUs < fromUs || atUs > toUs || frame === undefined) return
    if (frame.functionName === '(idle)') {
      idleUs += us
      return
    }
    addTo(self, nameWithin(frame, frames.get(parents.get(id) ?? -1)), us)
    const ours = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = frames.get(at)
      if (above !== undefined && isOurs(above)) ours.add(nameOf(above))
    }
    for (const name of ours) addTo(total, name, us)
  })
  return { self, total, idleUs }
}

/** Where within the function that runs the SQL the time goes: the lines tell kinds of statements and the commit apart. */
function linesOfBusiest({ nodes }: CpuProfile): string[] {
  const ticks = new Map<number, number>()
  const running = nodes.filter(
    ({ callFrame }) =>
      callFrame.functionName === 'execute' && callFrame.url.endsWith('/sqlite-connection.ts'),
  )
  for (const { line, ticks: count } of running.flatMap(({ positionTicks = [] }) => positionTicks))
    ticks.set(line, (ticks.get(line) ?? 0) + count)
  const sum = [...ticks.values()].reduce((all, count) => all + count, 0)
  const lines = [...ticks].toSorted(([, a], [, b]) => b - a).filter(([, count]) => count / sum >= 0.02)
  if (lines.length === 0) return []
  return [
    `  of sqlite-connection.ts: ${lines.map(([line, count]) => `line ${line} ${Math.round((count / sum) * 100)} %`).join(', ')}`,
  ]
}
