import { vi } from 'vitest'
import type { TestConsole } from './start-console.ts'

/**
 * Runs `meanwhile` between what the next call of the console has read and what it writes: before the first write of a call for which `isDue` is true.
 * Jobs in the background, such as the heartbeat of a node, write at times of their own; their writes do not count.
 */
export function beforeNextWrite(
  { app }: Pick<TestConsole, 'app'>,
  meanwhile: () => Promise<unknown>,
  isDue: () => Promise<boolean> = async () => true,
): void {
  const { writer } = app.storage
  const write = writer.write.bind(writer)
  let isOver = false
  const spy = vi.spyOn(writer, 'write').mockImplementation(async (...given) => {
    if (!isOver && isOfCall() && (await isDue())) {
      isOver = true
      spy.mockRestore()
      await meanwhile()
    }
    return write(...given)
  })
}

/** Whether the caller runs for a call of the console: its asynchronous stack leads to there. */
function isOfCall(): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50
  const { stack } = new Error('only for its stack')
  Error.stackTraceLimit = stackTraceLimit
  return stack?.includes('/src/api/console/') ?? false
}
