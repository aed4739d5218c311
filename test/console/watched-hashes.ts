import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { vi } from 'vitest'

/** The hashes that are slow on purpose, watched in all that imports them: their names and costs, in the order of their calls. */
export function watchHashes(): { take(): unknown[]; end(): void } {
  let calls: unknown[] = []
  const spies = (['argon2', 'scrypt', 'pbkdf2'] as const).map((name) => {
    const hash = crypto[name] as (...args: unknown[]) => unknown
    return vi.spyOn(crypto, name).mockImplementation((...args: unknown[]) => {
      calls.push([name, ...args.map(costOf)])
      return hash(...args)
    })
  })
  syncBuiltinESMExports()
  return {
    take() {
      const taken = calls
      calls = []
      return taken
    },
    end() {
      for (const spy of spies) spy.mockRestore()
      syncBuiltinESMExports()
    },
  }
}

/** Bytes by their number alone: the password is the same, and each salt another. */
const costOf = (arg: unknown): unknown => {
  if (ArrayBuffer.isView(arg)) return arg.byteLength
  if (typeof arg === 'function') return 'callback'
  if (typeof arg !== 'object' || arg === null) return arg
  return Object.fromEntries(Object.entries(arg).map(([name, value]) => [name, costOf(value)]))
}
