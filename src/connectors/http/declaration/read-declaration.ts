import type { Fault } from '../../../runtime/errors.ts'
import { type Declaration, maxDeclarationBytes } from './declaration.ts'
import { declarationFaults } from './declaration-faults.ts'

/** Reads a declaration from JSON: the declaration, or everything that is wrong with it. */
export function readDeclaration(text: string): { declaration: Declaration } | { faults: readonly Fault[] } {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxDeclarationBytes)
    return fault(`A declaration has at most ${maxDeclarationBytes / 1024} KiB; this one has ${bytes} octets.`)
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return fault(`Is not JSON: ${(error as Error).message}.`)
  }
  const faults = declarationFaults(given)
  return faults.length > 0 ? { faults } : { declaration: given as Declaration }
}

const fault = (detail: string): { faults: readonly Fault[] } => ({
  faults: [{ pointer: '', code: 'invalid_format', detail }],
})
