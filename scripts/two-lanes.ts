/** What may run beside a piece: anything, nothing that measures times, or nothing at all. */
export type Beside = 'anything' | 'untimed' | 'nothing'

/**
 * Does all the work, two pieces at a time, and gives what each gave in the order of the work. Pieces that measure times never run beside one
 * another: one lane takes them in turn, and helps the other when none is left. What bears nothing beside it comes last, piece by piece.
 */
export async function runInTwoLanes<Work, Result>(
  work: readonly Work[],
  besideOf: (piece: Work) => Beside,
  run: (piece: Work) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const withBeside = (wanted: Beside): number[] =>
    [...work.keys()].filter((i) => besideOf(work[i] as Work) === wanted)
  const [timed, others, alone] = [withBeside('untimed'), withBeside('anything'), withBeside('nothing')]
  const runLane = async (next: () => number | undefined): Promise<void> => {
    for (let i = next(); i !== undefined; i = next()) results[i] = await run(work[i] as Work)
  }
  await Promise.all([runLane(() => timed.shift() ?? others.shift()), runLane(() => others.shift())])
  await runLane(() => alone.shift())
  return results
}
