import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { Clock } from '../runtime/clock.ts'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Long enough for the start to be complete, so that none of it is still running. */
const startIsOverMs = 500

/**
 * The old generation is collected when it has grown by this much since the last collection; V8 would let it
 * double.
 */
const growingPercent = 60

/** Interval at which a thread checks whether it is idle and has something to collect. */
const idleCheckMs = 2_000

/**
 * A thread that used a smaller share of a processor since the last check is idle: the pause of a collection
 * delays nothing.
 */
const idleShare = 0.1

/** Growth of the old generation from which on a collection of an idle thread is worthwhile. */
const worthCollecting = 1.2

const heapsAreSmall = 'heaps are small'

/**
 * Indexes of what all threads share: whether the start is complete, and how many threads have been starting
 * since.
 */
const place = { isOver: 0, starting: 1 } as const

/**
 * Called by a long-running process before it starts its threads. A command ends before a collection would be
 * worthwhile.
 */
export function keepHeapsOfThreadsSmall(): void {
  setEnvironmentData(heapsAreSmall, new Int32Array(new SharedArrayBuffer(8)))
}

const shared = (): Int32Array | undefined => getEnvironmentData(heapsAreSmall) as Int32Array | undefined

/**
 * Must be called on the main thread once all other threads have started. Collects the garbage of the start,
 * and after each phase of load its garbage once this thread is idle, and returns the pages to the system: V8
 * would keep them, 20 of 153 MB after the start, over all threads. Each collection stops the thread for about
 * 60 ms. After the first one, the heap is kept small (docs/decisions/0008); during the start that would cost
 * a tenth of the time.
 */
export function keepHeapSmall({ schedule, monotonicMs }: Pick<Clock, 'schedule' | 'monotonicMs'>): void {
  schedule(startIsOverMs, () => {
    setFlags(isSmall)
    const flags = shared()
    if (flags !== undefined) Atomics.store(flags, place.isOver, 1)
    const collect = findCollect() as Collect
    let kept = 0
    let last = { atMs: 0, processorMs: 0 }
    const collectNow = (): void => {
      collect(wholly)
      kept = oldGenerationBytes()
    }
    const check = (): void => {
      const now = { atMs: monotonicMs(), processorMs: threadProcessorMs() }
      const idle = now.processorMs - last.processorMs < idleShare * (now.atMs - last.atMs)
      if (idle && oldGenerationBytes() > worthCollecting * kept) collectNow()
      last = { atMs: monotonicMs(), processorMs: threadProcessorMs() }
      schedule(idleCheckMs, check)
    }
    collectNow()
    check()
  })
}

/**
 * Collects the garbage of the start of this thread, once the main thread has signalled that all threads have
 * started. Later collections are not needed: these threads create little that outlives a batch, and a thread
 * that is being terminated should not be in the middle of a collection.
 */
export function collectOnceStarted({ schedule }: Pick<Clock, 'schedule'>): void {
  const flags = shared()
  if (flags === undefined) return
  const check = (): void => {
    const collect = Atomics.load(flags, place.isOver) === 1 ? findCollect() : undefined
    if (collect === undefined) schedule(startIsOverMs, check)
    else collect(wholly)
  }
  schedule(startIsOverMs, check)
}

/**
 * Resets the flags of small heaps for a thread that starts late. Flags belong to the process, and Node.js
 * finds the module cache of a new thread (`NODE_COMPILE_CACHE`) by them: a thread that starts with other flags
 * compiles its modules again. Returns a function that sets the flags again, to be called once the thread has
 * started or failed to; a second call does nothing.
 */
export function resetHeapFlags(): () => void {
  const flags = shared()
  if (flags === undefined || Atomics.load(flags, place.isOver) === 0) return () => undefined
  Atomics.add(flags, place.starting, 1)
  setFlags(atStart)
  let isStarting = true
  return () => {
    if (isStarting && Atomics.sub(flags, place.starting, 1) === 1) setFlags(isSmall)
    isStarting = false
  }
}

const atStart = ['--no-expose-gc', '--heap-growing-percent=0']
const isSmall = ['--expose-gc', `--heap-growing-percent=${growingPercent}`]

const setFlags = (flags: readonly string[]): void => flags.forEach((flag) => setFlagsFromString(flag))

const wholly = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const

/** Returns undefined while a thread starts: `gc` is not exposed then. */
const findCollect = (): Collect | undefined => runInNewContext('globalThis.gc') as Collect | undefined

/**
 * Returns the processor time of this thread. Wall time would mislead: on a busy machine an idle thread waits
 * long for its turn.
 */
function threadProcessorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Returns the size of the old generation. The nursery is not counted: it fills and empties by itself. */
function oldGenerationBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.startsWith('new_'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}
