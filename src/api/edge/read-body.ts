import type { Static, TObject } from 'typebox'
import { refuse } from '../../runtime/errors.ts'
import { readMembers, type ReadRules } from '../../runtime/schema-faults.ts'

/**
 * Reads a JSON object strictly by its schema. Throws one `validation_failed` with all faults, because a typo
 * must never change what is done.
 */
export function readBody<S extends TObject>(schema: S, body: unknown, rules?: ReadRules): Static<S> {
  const given = body as Readonly<Record<string, unknown>>
  const { faults } = readMembers(schema, given, rules)
  if (faults.length > 0) throw refuse('validation_failed', { errors: faults })
  return given as Static<S>
}
