import { Type } from 'typebox'

/** Options of an object schema that allows no other members. */
export const closed = { additionalProperties: false }

/**
 * Schemas written by hand where TypeBox would write `anyOf`: a type and a list of values read better in the
 * API reference.
 */
export const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })
export const orNull = <T>(
  type: 'string' | 'integer' | 'boolean',
  description: string,
  more: Record<string, unknown> = {},
) => Type.Unsafe<T | null>({ type: [type, 'null'], description, ...more })

export const instantOrNull = (description: string) =>
  orNull<string>('string', description, { format: 'date-time' })
