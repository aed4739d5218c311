import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Long enough for the start to be over, so that nothing of it is still under way. */
const startIsOverMs = 500

/** The old generation is collected when it has grown by so much since the last time; V8 would let it double. */
const growingPercent = 60

/**
 * Collects once what the start of this thread left behind, and gives its pages back to the system: V8 would keep them, 35 of 177 MB with
 * all threads. Stops the thread for some 60 ms. From then on the heap is kept small (docs/decisions/0008); while it starts, that would
 * cost a tenth of the time.
 */
export function collectAfterStart({ schedule }: Pick<Clock, 'schedule'>): void {
  schedule(startIsOverMs, () => {
    setFlagsFromString('--expose-gc')
    setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
    const collect = runInNewContext('gc') as Collect
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  })
}
