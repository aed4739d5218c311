import type { Static, TSchema } from 'typebox'
import { type Fault, refuse } from '../../errors.ts'

/**
 * Reads the input of a call: a body that is JSON already, or the text of `?input=`. Refuses what its schema does not allow, naming
 * each fault. The validator is loaded at the first call: it costs 9 MB.
 */
export async function readInput<S extends TSchema>(schema: S, given: unknown): Promise<Static<S>> {
  const { Value } = await import('typebox/value')
  const value = typeof given === 'string' ? parse(given) : (given ?? {})
  if (Value.Check(schema, value)) return value
  const errors = Value.Errors(schema, value).map(({ instancePath, message }): Fault => ({
    pointer: instancePath,
    code: 'invalid_format',
    detail: `It ${message}.`,
  }))
  throw refuse('validation_failed', { errors })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('malformed_request', { detail: '`input` is not JSON.' })
  }
}
