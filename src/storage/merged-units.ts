import { Batcher } from '../batcher.ts'
import { isPassing, type Units } from './dialect.ts'
import type { Writer } from './writer.ts'

type Run = (input: unknown) => Promise<unknown>
type Outcome = { result: unknown } | { error: unknown }

/**
 * Merges the calls of a unit that wait for the writer into one: batches form next to the flush that they wait for, so that no thread
 * waits for the other's turn. Should the database refuse what a merged call brings, or the unit fail on it, each call is tried by itself, so that
 * nobody fails for a neighbour; a full or busy disk would refuse each of them too.
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
    const write = (input: readonly unknown[]): Promise<unknown> =>
      writer.write((tx) => unit(tx, input as never))
    const batcher = new Batcher((calls: (readonly unknown[])[]) => runMerged(write, calls), {
      maxWeight,
      weigh: (input) => weigh(input as never),
    })
    return [name, async (input) => unwrap(await batcher.add(input as readonly unknown[]))]
  })
  return new Map(runs)
}

async function runMerged(
  write: (input: readonly unknown[]) => Promise<unknown>,
  calls: readonly (readonly unknown[])[],
): Promise<Outcome[]> {
  try {
    const results = (await write(calls.flat())) as unknown[]
    let next = 0
    return calls.map((call) => ({ result: results.slice(next, (next += call.length)) }))
  } catch (error) {
    if (calls.length === 1 || isPassing(error)) return calls.map(() => ({ error }))
    return Promise.all(
      calls.map((call) =>
        write(call).then(
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
