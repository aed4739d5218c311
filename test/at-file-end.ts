/**
 * What is to be ended behind each test file. Modules are loaded once for all the files of a worker, so that what one of them holds open cannot be ended
 * by a hook of its own.
 */
const endings = new Set<() => Promise<void>>()

/** Runs `end` behind each file from now on. */
export const atFileEnd = (end: () => Promise<void>): void => void endings.add(end)

/** Of the set-up of each file alone. */
export async function endFile(): Promise<void> {
  const ended = await Promise.allSettled([...endings].map((end) => end()))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
