import { afterAll, expect } from 'vitest'
import { endFile } from './at-file-end.ts'

/**
 * Fails a test file that leaves something running: a server, a socket, a child process or a timer that would keep the
 * process alive. What is still closing gets a moment; what was there before the file does not count.
 */
const graceMs = 2_000
// Taken now, because a test may leave fake ones behind.
const nowMs = performance.now.bind(performance)
const nextTurn = setImmediate
/** Immediates pass by themselves; the process opens its own output, a pipe or a terminal, when it is first written to. */
const harmless = new Set(['Immediate', 'PipeWrap', 'TTYWrap'])
const before = countResources()

afterAll(async () => {
  await endFile()
  const giveUpAtMs = nowMs() + graceMs
  while (leftovers().length > 0 && nowMs() < giveUpAtMs) await new Promise((resolve) => nextTurn(resolve))
  expect(leftovers(), 'left running by this test file').toEqual([])
})

function leftovers(): string[] {
  return [...countResources()].flatMap(([type, count]) =>
    Array.from({ length: Math.max(0, count - (before.get(type) ?? 0)) }, () => type),
  )
}

/** What holds the event loop open, by type. */
function countResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) {
    if (!harmless.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
