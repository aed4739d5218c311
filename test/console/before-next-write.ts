import { vi } from 'vitest'
import type { TestConsole } from './start-console.ts'

/**
 * Lets something happen between what the next call has looked at and what it writes: before the first write of the program for which `isDue` says so.
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
    if (!isOver && (await isDue())) {
      isOver = true
      spy.mockRestore()
      await meanwhile()
    }
    return write(...given)
  })
}
