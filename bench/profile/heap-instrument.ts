import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { addTo, type CallFrame, isOurs, nameOf, nameWithin, shareLines } from './frames.ts'
import type { Count, Instrument } from './instrument.ts'

/** What a thread leaves behind (heap-hooks.ts). */
interface ThreadHeap {
  head: HeapNode
  collections: { times: number; ms: number }
}

/** Chrome DevTools Protocol, HeapProfiler.SamplingHeapProfileNode. Bytes. */
interface HeapNode {
  callFrame: CallFrame
  selfSize: number
  children: readonly HeapNode[]
}

const shownSelf = 15
const shownTotal = 15
const answerTimeoutMs = 10_000
/** A thread that allocates less for each message or request is left out. */
const minBytes = 64

/** What the threads of a server allocate on their heaps, collected or not, by V8's sampling heap profiler. */
export const heapInstrument: Instrument = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-heap-'))
  const hooks = new URL('heap-hooks.ts', import.meta.url)
  hooks.searchParams.set('folder', pathToFileURL(folder).href)
  const say = (word: 'begin' | 'end'): Promise<void> => writeFile(join(folder, word), '')
  const named = async (ending: string): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith(ending)).toSorted()
  let count: Count | undefined
  try {
    await use({
      nodeOptions: [`--import=${hooks.href}`],
      under: [],
      async measure(load) {
        await say('begin')
        while ((await named('.begun')).length === 0) await sleep(20)
        count = await load()
        await say('end')
        const begun = await named('.begun')
        for (
          const deadline = performance.now() + answerTimeoutMs;
          performance.now() < deadline;
          await sleep(50)
        )
          if ((await named('.json')).length === begun.length) return
        throw new Error('A thread of the server did not say what it allocated.')
      },
    })
    const lines: string[] = []
    for (const name of await named('.json')) {
      const heap = JSON.parse(await readFile(join(folder, name), 'utf8')) as ThreadHeap
      lines.push(
        ...linesOf(name === '0.json' ? 'Main thread' : `Thread ${name.split('.')[0]}`, heap, count as Count),
      )
    }
    return lines
  } finally {
    await rm(folder, { recursive: true })
  }
}

function linesOf(thread: string, { head, collections }: ThreadHeap, { units, unit }: Count): string[] {
  const self = new Map<string, number>()
  const total = new Map<string, number>()
  const sum = addUp(head, { self, total }, [])
  if (sum / units < minBytes) return []
  const say = (bytes: number): string => `${bytesOf(bytes / units).padStart(8)}  `
  return [
    `${thread}: ${bytesOf(sum / units)} for each ${unit}; garbage collected ${collections.times} times in ${Math.round(collections.ms)} ms, ${((collections.ms * 1000) / units).toFixed(1)} µs for each`,
    ' by itself',
    ...shareLines(self, { sum, shown: shownSelf, say }),
    ' with all that it calls (ours only)',
    ...shareLines(total, { sum, shown: shownTotal, say }),
  ]
}

/** Adds the bytes of a node and of all below it by function, and gives their sum. `callers` are the frames above it, innermost last. */
function addUp(
  { callFrame, selfSize, children }: HeapNode,
  into: { self: Map<string, number>; total: Map<string, number> },
  callers: readonly CallFrame[],
): number {
  if (selfSize > 0) addTo(into.self, nameWithin(callFrame, callers.at(-1)), selfSize)
  const stack = [...callers, callFrame]
  const below = children.reduce((sum, child) => sum + addUp(child, into, stack), 0)
  // A function that calls itself counts once.
  if (isOurs(callFrame) && !callers.some((caller) => nameOf(caller) === nameOf(callFrame)))
    addTo(into.total, nameOf(callFrame), selfSize + below)
  return selfSize + below
}

const bytesOf = (bytes: number): string =>
  bytes >= 10_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${Math.round(bytes)} B`
