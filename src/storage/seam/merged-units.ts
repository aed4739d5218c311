import { Batcher, type Take } from '../../runtime/batcher.ts'
import { isTransient, type Units, type UnitsModule } from './dialect.ts'
import { lanesHeld, lanesOfAccounts } from './lanes.ts'
import type { Writer } from './writer.ts'

type Run = (input: unknown) => Promise<unknown>
type Outcome = { result: unknown } | { error: unknown }
type Call = unknown[]
/** Runs the unit once for the calls that have arrived when its transaction begins, and whose lanes it holds. */
type Write = (take: Take<Call>, look: () => Call[]) => Promise<unknown>

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
  accountsOf?: UnitsModule['accountsOf']
  maxWeight: number
}): ReadonlyMap<string, Run> {
  const { writer, units, merging, accountsOf = {}, maxWeight } = deps
  const runs = Object.entries(merging).map(([name, weigh]): [string, Run] => {
    const unit = units[name] as Units[string]
    const accounts = (call: Call): Iterable<string> | null => accountsOf[name]?.(call as never) ?? null
    const write: Write = (take, look) =>
      writer.writeFor(
        () => accountsOfAll(look().map(accounts)),
        (tx) => {
          const held = lanesHeld(tx)
          const fits = (call: Call): boolean => {
            const ids = accounts(call)
            return held === null || (ids !== null && held.holds(lanesOfAccounts(ids)))
          }
          return unit(tx, take(fits).flat() as never)
        },
      )
    const batcher = new Batcher((take: Take<Call>, look) => runMerged(write, take, look), {
      maxWeight,
      weigh: (input) => weigh(input as never),
    })
    return [name, async (input) => unwrap(await batcher.add(input as unknown[]))]
  })
  return new Map(runs)
}

/** Null if one of the calls needs all lanes. */
function accountsOfAll(calls: readonly (Iterable<string> | null)[]): string[] | null {
  const known = calls.filter((accounts) => accounts !== null)
  return known.length < calls.length ? null : known.flatMap((accounts) => [...accounts])
}

async function runMerged(write: Write, take: Take<Call>, look: () => Call[]): Promise<Outcome[]> {
  try {
    const results = (await write(take, look)) as unknown[]
    let next = 0
    return take().map((call) => ({ result: results.slice(next, (next += call.length)) }))
  } catch (error) {
    const calls = take()
    if (calls.length === 1 || isTransient(error)) return calls.map(() => ({ error }))
    const alone = calls.map((call) => [call])
    return Promise.all(
      alone.map((one) =>
        write(
          () => one,
          () => one,
        ).then(
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
