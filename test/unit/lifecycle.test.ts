import { expect, test } from 'vitest'
import { endAll, stopAll } from '../../src/process/lifecycle.ts'

/** Steps that note that they were taken; the named ones fail. */
function steps(names: readonly string[], failing: readonly string[]) {
  const taken: string[] = []
  const step = (name: string) => async (): Promise<void> => {
    taken.push(name)
    if (failing.includes(name)) throw new Error(name)
  }
  return { taken, all: names.map(step) }
}

test('each step is taken, whatever becomes of those before it, and the first failure is told', async () => {
  const { taken, all } = steps(['a', 'b', 'c', 'd'], ['b', 'c'])
  const sync = (): void => void taken.push('e')
  await expect(endAll([...all, sync])).rejects.toThrow('b')
  expect(taken).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('services are stopped in reverse, each of them', async () => {
  const { taken, all } = steps(['a', 'b', 'c'], ['c'])
  await expect(stopAll(all.map((stop) => ({ start: stop, stop })))).rejects.toThrow('c')
  expect(taken).toEqual(['c', 'b', 'a'])
})
