import { median } from './figure.ts'

/** What one run says of a row: microseconds of the server's processors for a message, and the rate beside it. */
export interface Cost {
  us: number
  value: string
}

type Runs = readonly ReadonlyMap<string, Cost>[]

/** Renders the rows that both checkouts have, with the medians of all rounds. Throws where there is none: nothing was compared then. */
export function pairTable({ a, b }: { a: Runs; b: Runs }): string {
  const of = (runs: Runs, name: string): number[] => runs.flatMap((each) => each.get(name)?.us ?? [])
  const names = [...new Set(a.flatMap((run) => [...run.keys()]))].filter((name) => of(b, name).length > 0)
  if (names.length === 0)
    throw new Error('No row says in both checkouts what a message costs. Name others: --rows 2,4.')
  const rows = names.map((name) => {
    const [before, after] = [median(of(a, name)), median(of(b, name))]
    const [inA, inB] = [a, b].map((runs) => runs.map((each) => each.get(name)?.us ?? '–').join(' '))
    return `| ${name} | ${before} µs (${inA}) | ${after} µs (${inB}) | ${(after / before).toFixed(2)} × |`
  })
  return `| row | A | B | B : A |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}
