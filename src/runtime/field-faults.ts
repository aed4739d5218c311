import type { Fault, FieldCode } from './errors.ts'
import { parseInstant } from './instant.ts'
import { nearestName } from './nearest-name.ts'
import { hasControls } from './plain-text.ts'

/** The subset of JSON Schema that is used for a simple member of a body. */
export interface ScalarSchema {
  type: string | readonly string[]
  enum?: readonly string[]
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  description?: string
}

/** Returns the first fault of a value by its schema, as a sentence, or null. */
export function scalarFault(pointer: string, schema: ScalarSchema, value: unknown): Fault | null {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (!types.some((type) => hasType(type, value))) return typeFault(pointer, types)
  if (typeof value === 'number') return rangeFault(pointer, schema, value)
  return typeof value === 'string' ? stringFault(pointer, schema, value) : null
}

/** Returns the fault of a value that has none of these JSON types. */
export const typeFault = (pointer: string, types: readonly string[]): Fault => ({
  pointer,
  code: 'wrong_type',
  detail: `Must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}.`,
})

/**
 * Returns the fault of a member that the schema does not have. Suggests the known one that was probably
 * meant, by its spelling or by its name in other APIs.
 */
export function unknownFieldFault(
  pointer: string,
  name: string,
  known: Iterable<string>,
  otherNames: ReadonlyMap<string, string> = new Map(),
): Fault {
  const near = otherNames.get(name.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? nearestName(name, known)
  const summary = 'Unknown field.'
  return {
    pointer,
    code: 'unknown_field',
    detail: near === null ? summary : `${summary} Did you mean \`${near}\`?`,
    ...(near === null ? {} : { suggestion: near }),
  }
}

/**
 * Returns the fault of a text that is stored and echoed: unpaired surrogates and control characters, which
 * databases and logs do not handle well.
 */
export function echoedTextFault(pointer: string, text: string): Fault | null {
  if (!text.isWellFormed())
    return {
      pointer,
      code: 'invalid_unicode',
      detail: 'Contains an unpaired surrogate.',
    }
  return hasControls(text)
    ? {
        pointer,
        code: 'control_character',
        detail: 'Control characters other than TAB, LF, FF and CR are not allowed.',
      }
    : null
}

/**
 * Finds the first text of a JSON value that contains a NUL; names of members are checked too. PostgreSQL can
 * neither store nor compare NUL.
 */
export function findNul(pointer: string, value: unknown): Fault | null {
  if (typeof value === 'string')
    return value.includes('\0')
      ? { pointer, code: 'control_character', detail: 'Must not contain NUL characters.' }
      : null
  if (typeof value !== 'object' || value === null) return null
  for (const [name, member] of Object.entries(value)) {
    const at = memberPointer(pointer, name)
    const found = findNul(at, name) ?? findNul(at, member)
    if (found !== null) return found
  }
  return null
}

/**
 * Returns the JSON pointer (RFC 6901) of a member. Long names are cut, since they only help to find the
 * member.
 */
export const memberPointer = (pointer: string, name: string): string =>
  `${pointer}/${(name.length > 100 ? `${name.slice(0, 100)}…` : name).replaceAll('~', '~0').replaceAll('/', '~1')}`

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function rangeFault(
  pointer: string,
  { minimum = -Infinity, maximum = Infinity }: ScalarSchema,
  value: number,
): Fault | null {
  if (value >= minimum && value <= maximum) return null
  const range =
    maximum === Infinity
      ? `at least ${minimum}`
      : minimum === -Infinity
        ? `at most ${maximum}`
        : `from ${minimum} to ${maximum}`
  return { pointer, code: 'out_of_range', detail: `Must be ${range}.` }
}

function stringFault(pointer: string, schema: ScalarSchema, value: string): Fault | null {
  const { minLength = 0, maxLength = Infinity } = schema
  const fault = (code: FieldCode, detail: string): Fault => ({ pointer, code, detail })
  if (value.length < minLength)
    return fault('too_short', `Must have at least ${minLength} character${minLength === 1 ? '' : 's'}.`)
  if (value.length > maxLength && countsMoreThan(maxLength, value)) {
    return fault('too_long', `Must have at most ${maxLength} characters.`)
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const near = nearestName(value, schema.enum)
    return {
      ...fault('not_in_enum', `Must be one of ${schema.enum.join(', ')}.`),
      ...(near === null ? {} : { suggestion: near }),
    }
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    return fault('invalid_format', `Must have the required form: ${schema.description ?? schema.pattern}`)
  const instant = schema.format === 'date-time' ? parseInstant(value) : null
  return typeof instant === 'object' && instant !== null
    ? { pointer, code: 'invalid_format', ...instant }
    : null
}

/**
 * Returns whether a text has more code points than `max`. Counts only if the number of UTF-16 units does not
 * settle it.
 */
const countsMoreThan = (max: number, text: string): boolean =>
  text.length > max * 2 || Array.from(text).length > max
