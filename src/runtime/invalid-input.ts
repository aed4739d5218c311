import { type Fault, type Refusal, refuse } from './errors.ts'

/** Returns a rejection that lists all faults of an input. */
export const invalidInput = (faults: readonly Fault[]): Refusal =>
  refuse('validation_failed', { detail: faults.map((fault) => fault.detail).join(' '), errors: faults })

/**
 * Returns the faults of a name of an account, a key or a device: 1 to 100 characters, no control characters.
 */
export function nameFaults(name: string): Fault[] {
  const fault = (code: Fault['code'], detail: string): Fault[] => [{ pointer: '/name', code, detail }]
  if (name.trim() === '') return fault('blank', 'The name must not be empty.')
  if (name.length > 100) return fault('too_long', 'The name must have at most 100 characters.')
  if (!name.isWellFormed()) return fault('invalid_unicode', 'The name is not well-formed Unicode.')
  return /\p{Cc}/u.test(name)
    ? fault('control_character', 'The name must not contain control characters.')
    : []
}
