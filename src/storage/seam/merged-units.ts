import { Batcher } from '../../runtime/batcher.ts'
import { isPassing, type Units } from './dialect.ts'
import type { Writer } from './writer.ts'

type Run = (input: unknown) => Promise<unknown>
type Outcome = { result: unknown } | { error: unknown }
type Calls = readonly unknown[][]
/** Runs the unit once for the calls that there are when its transaction has begun. */
type Write = (calls: () => Calls) => Promise<unknown>

/**
 * Merges the calls of a unit that wait for the writer into one: batches form next to the flush that they wait for, so that no thread
 * waits for the other's turn, and what comes while a transaction waits for that of another node shares it. Should the database refuse what a
 * merged call brings, or the unit fail on it, each call is tried by itself, so that nobody fails for a neighbour; a full or busy disk would
 * refuse each of them too.
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
    if (calls.length === 1 || isPassing(error)) return calls.map(() => ({ error }))
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
