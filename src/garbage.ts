import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Clock } from './clock.ts'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Long enough for the start to be over, so that nothing of it is still under way. */
const startIsOverMs = 500

/** The old generation is collected when it has grown by so much since the last time; V8 would let it double. */
const growingPercent = 60

/** How often a thread looks whether it is idle and has something to collect. */
const idleLookMs = 2_000

/** A thread that used less of a processor since it last looked is idle: nobody notices that it stops for a collection. */
const idleShare = 0.1

/** What an idle thread collects is worth it from this growth of its old generation on. */
const worthCollecting = 1.2

const heapsAreSmall = 'heaps are small'

/** Whoever lets a server live long says so before it starts its threads; a command is over before a collection would be worth it. */
export function keepHeapsOfThreadsSmall(): void {
  setEnvironmentData(heapsAreSmall, true)
}

/** Does what `keepHeapSmall` does where the thread that started this one wants it. */
export function keepHeapSmallIfAsked(clock: Pick<Clock, 'schedule' | 'monotonicMs'>): void {
  if (getEnvironmentData(heapsAreSmall) === true) keepHeapSmall(clock)
}

/**
 * Collects what the start of this thread left behind, and on the main thread what each time of load left behind once it is over, and gives the
 * pages back to the system: V8 would keep them, 35 of 177 MB after the start, with all threads. Each collection stops the thread for some 60 ms. After
 * the first, the heap is kept small (docs/decisions/0008); while the thread starts, that would cost a tenth of the time.
 */
export function keepHeapSmall({ schedule, monotonicMs }: Pick<Clock, 'schedule' | 'monotonicMs'>): void {
  schedule(startIsOverMs, () => {
    setFlagsFromString('--expose-gc')
    setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
    const collect = runInNewContext('gc') as Collect
    let kept = 0
    let looked = { atMs: 0, processorMs: 0 }
    const collectNow = (): void => {
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      kept = oldGenerationBytes()
    }
    const look = (): void => {
      const now = { atMs: monotonicMs(), processorMs: threadProcessorMs() }
      const idle = now.processorMs - looked.processorMs < idleShare * (now.atMs - looked.atMs)
      if (idle && oldGenerationBytes() > worthCollecting * kept) collectNow()
      looked = { atMs: monotonicMs(), processorMs: threadProcessorMs() }
      schedule(idleLookMs, look)
    }
    collectNow()
    // The other threads make little that outlives a batch, and one that is being ended had better not be in the middle of a collection.
    if (isMainThread) look()
  })
}

/** The processor's own time and not the wall's: on a busy machine an idle thread waits long for its turn. */
function threadProcessorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The nursery is left out: it fills and empties itself. */
function oldGenerationBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.startsWith('new_'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}
