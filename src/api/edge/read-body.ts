import type { Static, TObject } from 'typebox'
import { type Fault, refuse } from '../../runtime/errors.ts'
import {
  echoedTextFault,
  scalarFault,
  type ScalarSchema,
  unknownFieldFault,
} from '../../runtime/field-faults.ts'

/**
 * Reads a body of simple members strictly. Throws one `validation_failed` with all faults, because a typo
 * must never change what is done.
 */
export function readObject<S extends TObject>(schema: S, body: unknown): Static<S> {
  const members = new Map(Object.entries(schema.properties as unknown as Record<string, ScalarSchema>))
  const given = body as Readonly<Record<string, unknown>>
  const faults: Fault[] = []
  for (const name of (schema.required ?? []) as readonly string[])
    if (!Object.hasOwn(given, name))
      faults.push({ pointer: `/${name}`, code: 'required', detail: `\`${name}\` is required.` })
  for (const [name, value] of Object.entries(given)) {
    const member = members.get(name)
    const fault =
      member === undefined
        ? unknownFieldFault(name, members.keys())
        : (scalarFault(`/${name}`, member, value) ??
          (typeof value === 'string' ? echoedTextFault(`/${name}`, value) : null))
    if (fault !== null) faults.push(fault)
  }
  if (faults.length > 0) throw refuse('validation_failed', { errors: faults })
  return given as Static<S>
}
