/**
 * Does all the work, two pieces at a time, and gives what each gave in the order of the work. Pieces that measure times never run beside one
 * another: one lane takes them in turn, and helps the other when none is left.
 */
export async function runInTwoLanes<Work, Result>(
  work: readonly Work[],
  isTimed: (piece: Work) => boolean,
  run: (piece: Work) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const timed = [...work.keys()].filter((i) => isTimed(work[i] as Work))
  const others = [...work.keys()].filter((i) => !isTimed(work[i] as Work))
  const runLane = async (next: () => number | undefined): Promise<void> => {
    for (let i = next(); i !== undefined; i = next()) results[i] = await run(work[i] as Work)
  }
  await Promise.all([runLane(() => timed.shift() ?? others.shift()), runLane(() => others.shift())])
  return results
}
