/** The parts of a `.cpuprofile` that are read (Chrome DevTools Protocol, Profiler.Profile). Times are microseconds of the monotonic clock. */
export interface CpuProfile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
    positionTicks?: { line: number; ticks: number }[]
  }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

const shownSelf = 25
const shownTotal = 20
const leastShare = 0.004

/**
 * What a thread did between two instants, as lines: its functions by the time spent in themselves, then ours by the time spent in them and
 * whatever they called. Null for a thread that did next to nothing.
 */
export function summarize(profile: CpuProfile, between: { fromUs: number; toUs: number }): string[] | null {
  const { self, total, idleUs } = addUp(profile, between)
  const busyUs = [...self.values()].reduce((sum, us) => sum + us, 0)
  if (busyUs < 0.03 * (between.toUs - between.fromUs)) return null
  const top = (times: ReadonlyMap<string, number>, shown: number): string[] =>
    [...times]
      .filter(([, us]) => us / busyUs >= leastShare)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, shown)
      .map(([name, us]) => `  ${((us / busyUs) * 100).toFixed(1).padStart(5)} %  ${name}`)
  return [
    `busy ${Math.round(busyUs / 1000)} ms, idle ${Math.round(idleUs / 1000)} ms`,
    ' by itself',
    ...top(self, shownSelf),
    ...linesOfBusiest(profile),
    ' with all that it calls (ours only)',
    ...top(total, shownTotal),
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
  const add = (times: Map<string, number>, name: string, us: number): void =>
    void times.set(name, (times.get(name) ?? 0) + us)
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
    const caller = frames.get(parents.get(id) ?? -1)
    // Native code has neither name nor file: its caller tells what it is.
    const isUnnamed = frame.functionName === '' && frame.url === '' && caller !== undefined
    add(self, isUnnamed ? `(native code) of ${nameOf(caller)}` : nameOf(frame), us)
    const ours = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = frames.get(at)
      if (above?.url.includes('/src/') === true && !above.url.includes('/node_modules/'))
        ours.add(nameOf(above))
    }
    for (const name of ours) add(total, name, us)
  })
  return { self, total, idleUs }
}

/** A function with the last two parts of its file's path. */
function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name}  ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
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
