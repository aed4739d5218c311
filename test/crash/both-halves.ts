/**
 * Runs both, and ends when both have ended: what each has opened is then at rest and can be closed. Once one has failed the signal is
 * aborted with its error, which the other throws at its next point, so that it does not run on for minutes.
 */
export async function runBothHalves(run: (half: 0 | 1, signal: AbortSignal) => Promise<void>): Promise<void> {
  const failed = new AbortController()
  const ended = await Promise.allSettled(
    ([0, 1] as const).map(async (half) => {
      try {
        await run(half, failed.signal)
      } catch (error) {
        failed.abort(error)
        throw error
      }
    }),
  )
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
