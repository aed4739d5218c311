import { expect, test } from 'vitest'
import { runInTwoLanes } from '../../scripts/two-lanes.ts'

test('two pieces run at a time, no two that measure times, and each result stands where its piece stood', async () => {
  const work = ['timed 1', 'a', 'timed 2', 'b', 'c', 'd', 'timed 3', 'e']
  const running = new Set<string>()
  const seen: string[][] = []
  const isTimed = (piece: string): boolean => piece.startsWith('timed')
  const results = await runInTwoLanes(work, isTimed, async (piece) => {
    running.add(piece)
    seen.push([...running])
    for (let turns = piece.length; turns > 0; turns--) await Promise.resolve()
    running.delete(piece)
    return piece.toUpperCase()
  })
  expect(results).toEqual(work.map((piece) => piece.toUpperCase()))
  expect(Math.max(...seen.map((pieces) => pieces.length))).toBe(2)
  expect(seen.filter((pieces) => pieces.filter(isTimed).length > 1)).toEqual([])
})

test('the lane of what measures times helps the other when it has none left', async () => {
  const seen: number[] = []
  let running = 0
  await runInTwoLanes([1, 2, 3, 4], () => false, async () => {
    seen.push(++running)
    await Promise.resolve()
    running -= 1
  }) // prettier-ignore
  expect(Math.max(...seen)).toBe(2)
})
