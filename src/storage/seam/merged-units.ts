import { Batcher } from '../../runtime/batcher.ts'
import { isTransient, type Units } from './dialect.ts'
import type { Writer } from './writer.ts'

type Run = (input: unknown) => Promise<unknown>
type Outcome = { result: unknown } | { error: unknown }
type Calls = readonly unknown[][]
/** Runs the unit once for the calls that have arrived when its transaction begins. */
type Write = (calls: () => Calls) => Promise<unknown>

/**
 * Merges waiting calls of a unit into one. Batches form next to the flush that they wait for, so that no
 * thread waits for the other; calls that arrive while a transaction waits for one of another node share it.
 * If the database rejects the values of a merged call, or the unit fails on them, each call is retried on its
 * own, so that no call fails because of another one; a full or busy disk would reject each of them too.
 */
export function mergedUnits(deps: {
  writer: Writer
  units: Units
  merging: Readonly<Record<string, (input: never) => number>>
  maxWeight: number
}): ReadonlyMap<string, Run> {
  const { writer, units, merging, maxWeight } = deps
  const runs = Object.entries(merging).map(([name, weigh]): [string, Run] => {
    const unit = units[name] as Units[string]
    const write: Write = (calls) => writer.write((tx) => unit(tx, calls().flat() as never))
    const batcher = new Batcher((take: () => Calls) => runMerged(write, take), {
      maxWeight,
      weigh: (input) => weigh(input as never),
    })
    return [name, async (input) => unwrap(await batcher.add(input as unknown[]))]
  })
  return new Map(runs)
}

async function runMerged(write: Write, take: () => Calls): Promise<Outcome[]> {
  try {
    const results = (await write(take)) as unknown[]
    let next = 0
    return take().map((call) => ({ result: results.slice(next, (next += call.length)) }))
  } catch (error) {
    const calls = take()
    if (calls.length === 1 || isTransient(error)) return calls.map(() => ({ error }))
    return Promise.all(
      calls.map((call) =>
        write(() => [call]).then(
          (result): Outcome => ({ result }),
          (failure: unknown): Outcome => ({ error: failure }),
        ),
      ),
    )
  }
}

function unwrap(outcome: Outcome): unknown {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}
