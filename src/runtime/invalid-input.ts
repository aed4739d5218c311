import { type Fault, type Refusal, refuse } from './errors.ts'

/** A refusal that says at once all that is wrong with what somebody entered. */
export const invalidInput = (faults: readonly Fault[]): Refusal =>
  refuse('validation_failed', { detail: faults.map((fault) => fault.detail).join(' '), errors: faults })

/** What is wrong with a name that people give to an account, a key or a device: 1 to 100 characters, none of them invisible controls. */
export function nameFaults(name: string): Fault[] {
  const fault = (code: Fault['code'], detail: string): Fault[] => [{ pointer: '/name', code, detail }]
  if (name.trim() === '') return fault('blank', 'The name must not be empty.')
  if (name.length > 100) return fault('too_long', 'The name must have at most 100 characters.')
  if (!name.isWellFormed()) return fault('invalid_unicode', 'The name is not well-formed Unicode.')
  return /\p{Cc}/u.test(name) ? fault('control_character', 'The name must not hold control characters.') : []
}
