import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { Clock } from '../runtime/clock.ts'

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

/** Places of what all threads share: whether the start is over, and how many threads are being started after that. */
const place = { isOver: 0, starting: 1 } as const

/** Whoever lets a server live long says so before it starts its threads; a command is over before a collection would be worth it. */
export function keepHeapsOfThreadsSmall(): void {
  setEnvironmentData(heapsAreSmall, new Int32Array(new SharedArrayBuffer(8)))
}

const shared = (): Int32Array | undefined => getEnvironmentData(heapsAreSmall) as Int32Array | undefined

/**
 * To be called on the main thread when all others have started. Collects what the start of this thread left behind, and what each time of load left
 * behind once it is over, and gives the pages back to the system: V8 would keep them, 35 of 177 MB after the start, with all threads. Each collection
 * stops the thread for some 60 ms. After the first, the heap is kept small (docs/decisions/0008); while the thread starts, that would cost a tenth of
 * the time.
 */
export function keepHeapSmall({ schedule, monotonicMs }: Pick<Clock, 'schedule' | 'monotonicMs'>): void {
  schedule(startIsOverMs, () => {
    setFlags(isSmall)
    const told = shared()
    if (told !== undefined) Atomics.store(told, place.isOver, 1)
    const collect = findCollect() as Collect
    let kept = 0
    let looked = { atMs: 0, processorMs: 0 }
    const collectNow = (): void => {
      collect(wholly)
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
    look()
  })
}

/**
 * Collects what the start of this thread left behind, once the main thread has said that all have started. After that the others make little that
 * outlives a batch, and one that is being ended had better not be in the middle of a collection.
 */
export function collectOnceStarted({ schedule }: Pick<Clock, 'schedule'>): void {
  const told = shared()
  if (told === undefined) return
  const look = (): void => {
    const collect = Atomics.load(told, place.isOver) === 1 ? findCollect() : undefined
    if (collect === undefined) schedule(startIsOverMs, look)
    else collect(wholly)
  }
  schedule(startIsOverMs, look)
}

/**
 * Flags are the process's, and by them Node.js finds where a thread that starts keeps its modules: one that starts with others strips its modules anew
 * (docs/decisions/0036). Takes those of small heaps back for a thread that starts late. Gives what sets them again, to be called once it has started
 * or failed to; a second call does nothing.
 */
export function takeHeapFlagsBack(): () => void {
  const told = shared()
  if (told === undefined || Atomics.load(told, place.isOver) === 0) return () => undefined
  Atomics.add(told, place.starting, 1)
  setFlags(atStart)
  let isStarting = true
  return () => {
    if (isStarting && Atomics.sub(told, place.starting, 1) === 1) setFlags(isSmall)
    isStarting = false
  }
}

const atStart = ['--no-expose-gc', '--heap-growing-percent=0']
const isSmall = ['--expose-gc', `--heap-growing-percent=${growingPercent}`]

const setFlags = (flags: readonly string[]): void => flags.forEach((flag) => setFlagsFromString(flag))

const wholly = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const

/** None while a thread starts. */
const findCollect = (): Collect | undefined => runInNewContext('globalThis.gc') as Collect | undefined

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
