import { type Fault, refuse } from '../../../runtime/errors.ts'
import { findNul } from '../../../runtime/field-faults.ts'
import { parseJsonObject } from '../../edge/json-body.ts'
import type { AnyCall } from './call.ts'

/**
 * Reads the input of a call: a parsed JSON body, or the JSON text of `?input=`. Refuses what its schema does
 * not allow, with each fault, and NUL anywhere. The validator is loaded at the first call: it costs 9 MB.
 */
export async function readInput({ input: schema, judgesNul }: AnyCall, given: unknown): Promise<unknown> {
  const { Value } = await import('typebox/value')
  const value = typeof given === 'string' ? parseJsonObject(Buffer.from(given), '`input`') : (given ?? {})
  const nul = judgesNul === true ? null : findNul('', value)
  if (nul !== null) throw refuse('validation_failed', { errors: [nul] })
  if (Value.Check(schema, value)) return value
  const errors = Value.Errors(schema, value).map(({ instancePath, message }): Fault => ({
    pointer: instancePath,
    code: 'invalid_format',
    detail: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
  }))
  throw refuse('validation_failed', { errors })
}
