import type { Fault, FieldCode } from './errors.ts'
import { nearestName } from './nearest-name.ts'
import { hasControls } from './plain-text.ts'

/** The subset of JSON Schema that is used for a simple member of a body. */
export interface ScalarSchema {
  type: string | readonly string[]
  enum?: readonly string[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  description?: string
}

/** Returns the first fault of a value by its schema, as a sentence, or null. */
export function scalarFault(pointer: string, schema: ScalarSchema, value: unknown): Fault | null {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (!types.some((type) => hasType(type, value))) {
    return {
      pointer,
      code: 'wrong_type',
      detail: `Must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}.`,
    }
  }
  if (typeof value === 'number') return rangeFault(pointer, schema, value)
  return typeof value === 'string' ? stringFault(pointer, schema, value) : null
}

/**
 * Returns the fault of a member that the schema does not have. Suggests the known one that was probably
 * meant, by its spelling or by its name in other APIs.
 */
export function unknownFieldFault(
  name: string,
  known: Iterable<string>,
  otherNames: ReadonlyMap<string, string> = new Map(),
): Fault {
  const near = otherNames.get(name.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? nearestName(name, known)
  const says = 'Unknown field.'
  return {
    pointer: `/${escapePointer(name)}`,
    code: 'unknown_field',
    detail: near === null ? says : `${says} Did you mean \`${near}\`?`,
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
    const at = `${pointer}/${escapePointer(name)}`
    const found = findNul(at, name) ?? findNul(at, member)
    if (found !== null) return found
  }
  return null
}

const maxMembers = 10
const maxCharacters = 200
const maxBytes = 2048
const memberName = /^[A-Za-z0-9_.-]{1,40}$/

/** Returns all faults of `metadata`: up to 10 named texts of up to 200 characters, 2 KiB as JSON. */
export function metadataFaults(pointer: string, value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, code: 'wrong_type', detail: 'Must be an object with string values.' }]
  }
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  if (members.length > maxMembers)
    return [{ pointer, code: 'too_many_items', detail: `Must have at most ${maxMembers} entries.` }]
  const faults = members.flatMap(
    ([name, text]) => memberFault(`${pointer}/${escapePointer(name)}`, name, text) ?? [],
  )
  if (faults.length > 0 || Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return faults
  return [{ pointer, code: 'too_long', detail: `Must not be larger than ${maxBytes} bytes as JSON.` }]
}

function memberFault(pointer: string, name: string, text: unknown): Fault | null {
  if (!memberName.test(name)) {
    return {
      pointer,
      code: 'invalid_format',
      detail: 'A name has 1 to 40 letters, digits, underscores, dots and dashes.',
    }
  }
  return (
    scalarFault(pointer, { type: 'string', maxLength: maxCharacters }, text) ??
    echoedTextFault(pointer, text as string)
  )
}

/**
 * Escapes a member name for a JSON pointer (RFC 6901). Long names are cut, since they only help to find the
 * member.
 */
const escapePointer = (name: string): string =>
  (name.length > 100 ? `${name.slice(0, 100)}…` : name).replaceAll('~', '~0').replaceAll('/', '~1')

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
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
  return { pointer, code: 'out_of_range', detail: `Must be from ${minimum} to ${maximum}.` }
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
  if (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)) return null
  return fault('invalid_format', `Must have the required form: ${schema.description ?? schema.pattern}`)
}

/**
 * Returns whether a text has more code points than `max`. Counts only if the number of UTF-16 units does not
 * settle it.
 */
const countsMoreThan = (max: number, text: string): boolean =>
  text.length > max * 2 || Array.from(text).length > max
