import { refuse } from '../../../runtime/errors.ts'
import { findNul } from '../../../runtime/field-faults.ts'
import { parseJsonObject } from '../../edge/json-body.ts'
import { readBody } from '../../edge/read-body.ts'
import type { AnyCall } from './call.ts'

/**
 * Reads the input of a call: a parsed JSON body, or the JSON text of `?input=`. Refuses what its schema does
 * not allow, with each fault, and NUL anywhere.
 */
export function readInput({ input: schema, judgesNul }: AnyCall, given: unknown): unknown {
  const value = typeof given === 'string' ? parseJsonObject(Buffer.from(given), '`input`') : (given ?? {})
  const nul = judgesNul === true ? null : findNul('', value)
  if (nul !== null) throw refuse('validation_failed', { errors: [nul] })
  return readBody(schema, value)
}
