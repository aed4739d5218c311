import { vi } from 'vitest'
import type { TestConsole } from './start-console.ts'

/** Lets something happen between what the next call has looked at and what it writes. */
export function beforeNextWrite({ app }: Pick<TestConsole, 'app'>, meanwhile: () => Promise<unknown>): void {
  const { writer } = app.storage
  const write = writer.write.bind(writer)
  const spy = vi.spyOn(writer, 'write').mockImplementationOnce(async (...given) => {
    spy.mockRestore()
    await meanwhile()
    return write(...given)
  })
}
