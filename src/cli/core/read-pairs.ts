import { UsageError } from './command-errors.ts'

/** Reads the values of `--set KEY=VALUE`. */
export function readPairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const split = pair.indexOf('=')
      if (split < 1) throw new UsageError(`--set must be KEY=VALUE, not '${pair}'.`)
      return [pair.slice(0, split), pair.slice(split + 1)]
    }),
  )
}
