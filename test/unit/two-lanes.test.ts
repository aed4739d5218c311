import { expect, test } from 'vitest'
import { type Beside, runInTwoLanes } from '../../scripts/two-lanes.ts'

test('two pieces run at a time, no two that measure times, some by themselves, and each result stands where its piece stood', async () => {
  const work = ['alone 1', 'timed 1', 'a', 'timed 2', 'b', 'alone 2', 'c', 'd', 'timed 3', 'e']
  const running = new Set<string>()
  const seen: string[][] = []
  const isTimed = (piece: string): boolean => piece.startsWith('timed')
  const besideOf = (piece: string): Beside =>
    isTimed(piece) ? 'untimed' : piece.startsWith('alone') ? 'nothing' : 'anything'
  const results = await runInTwoLanes(work, besideOf, async (piece) => {
    running.add(piece)
    seen.push([...running])
    for (let turns = piece.length; turns > 0; turns--) await Promise.resolve()
    running.delete(piece)
    return piece.toUpperCase()
  })
  expect(results).toEqual(work.map((piece) => piece.toUpperCase()))
  expect(Math.max(...seen.map((pieces) => pieces.length))).toBe(2)
  expect(seen.filter((pieces) => pieces.filter(isTimed).length > 1)).toEqual([])
  expect(seen.filter((pieces) => pieces.some((piece) => piece.startsWith('alone')))).toEqual([
    ['alone 1'],
    ['alone 2'],
  ])
})

test('the lane of what measures times helps the other when it has none left', async () => {
  const seen: number[] = []
  let running = 0
  await runInTwoLanes(
    [1, 2, 3, 4],
    () => 'anything',
    async () => {
      seen.push(++running)
      await Promise.resolve()
      running -= 1
    },
  )
  expect(Math.max(...seen)).toBe(2)
})
