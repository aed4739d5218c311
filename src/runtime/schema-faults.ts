import type { Fault } from './errors.ts'
import {
  memberPointer,
  scalarFault,
  type ScalarSchema,
  typeFault,
  unknownFieldFault,
} from './field-faults.ts'

/** The subset of JSON Schema by which bodies are read: what TypeBox writes for the types in use. */
export interface BodySchema extends Omit<ScalarSchema, 'type'> {
  type?: string | readonly string[]
  const?: unknown
  anyOf?: readonly BodySchema[]
  properties?: Readonly<Record<string, BodySchema>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, BodySchema>>
  additionalProperties?: boolean
  maxProperties?: number
  items?: BodySchema
  minItems?: number
  maxItems?: number
}

/** How the members of a body are read beyond its schema. */
export interface ReadRules {
  /** Rules of single members at the top, in place of their schemas. */
  own?: ReadonlyMap<string, (pointer: string, value: unknown) => readonly Fault[]>
  /** Names of members in other APIs, in lower case, and which member they mean. */
  otherNames?: ReadonlyMap<string, string>
  /** A rule for each text that its schema allows. */
  textFault?: (pointer: string, text: string) => Fault | null
}

/** A response lists at most 100; more are not looked for. */
const maxFaults = 100
const none: readonly Fault[] = []

/**
 * Returns the members of an object that are valid by its schema, and the faults of the others. Members after
 * the hundredth fault are not looked at, and are not among the valid ones.
 */
export function readMembers(
  schema: BodySchema,
  given: Readonly<Record<string, unknown>>,
  rules: ReadRules = {},
): { valid: object; faults: Fault[] } {
  const faults: Fault[] = []
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(given, name)) faults.push(missingFault('', name))
  const valid: [name: string, value: unknown][] = []
  for (const name of Object.keys(given)) {
    if (faults.length >= maxFaults) break
    const own = rules.own?.get(name)
    const value = given[name]
    const found = own === undefined ? memberFaults('', schema, name, value, rules) : own(`/${name}`, value)
    if (found.length === 0) valid.push([name, value])
    else faults.push(...found)
  }
  return { valid: faults.length === 0 ? given : Object.fromEntries(valid), faults }
}

/** Returns the faults of a value by its schema: none when it is valid. */
export function schemaFaults(
  pointer: string,
  schema: BodySchema,
  value: unknown,
  rules: ReadRules = {},
): readonly Fault[] {
  if (schema.anyOf !== undefined) return choiceFaults(pointer, schema.anyOf, value, rules)
  if (schema.const !== undefined) return constantFaults(pointer, schema.const, value)
  const { type } = schema
  if (type === undefined) return schema.enum === undefined ? none : wordFaults(pointer, schema.enum, value)
  if (type === 'object') return objectFaults(pointer, schema, value, rules)
  if (type === 'array') return listFaults(pointer, schema, value, rules)
  const fault =
    scalarFault(pointer, schema as ScalarSchema, value) ??
    (typeof value === 'string' ? rules.textFault?.(pointer, value) : null)
  return fault === null || fault === undefined ? none : [fault]
}

function objectFaults(
  pointer: string,
  schema: BodySchema,
  value: unknown,
  rules: ReadRules,
): readonly Fault[] {
  if (!isObject(value)) return [typeFault(pointer, ['object'])]
  const { required = [], maxProperties = Infinity } = schema
  const names = Object.keys(value)
  if (names.length > maxProperties)
    return [
      {
        pointer,
        code: 'too_many_items',
        detail: `Must have at most ${counted(maxProperties, 'entry', 'entries')}.`,
      },
    ]
  const faults = required.flatMap((name) => (Object.hasOwn(value, name) ? [] : [missingFault(pointer, name)]))
  for (const name of names) {
    faults.push(...memberFaults(pointer, schema, name, value[name], rules))
    if (faults.length >= maxFaults) break
  }
  return faults
}

function memberFaults(
  pointer: string,
  schema: BodySchema,
  name: string,
  value: unknown,
  rules: ReadRules,
): readonly Fault[] {
  const { properties = {}, patternProperties, additionalProperties } = schema
  const at = memberPointer(pointer, name)
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (own !== undefined) return schemaFaults(at, own, value, rules)
  for (const [pattern, each] of Object.entries(patternProperties ?? {}))
    if (new RegExp(pattern, 'u').test(name)) return schemaFaults(at, each, value, rules)
  if (additionalProperties !== false) return none
  return [unknownFieldFault(at, name, Object.keys(properties), rules.otherNames)]
}

function listFaults(pointer: string, schema: BodySchema, value: unknown, rules: ReadRules): readonly Fault[] {
  if (!Array.isArray(value)) return [typeFault(pointer, ['array'])]
  const { items = {}, minItems = 0, maxItems = Infinity } = schema
  if (value.length < minItems)
    return [
      {
        pointer,
        code: 'too_short',
        detail: `Must have at least ${counted(minItems, 'item')}.`,
      },
    ]
  if (value.length > maxItems)
    return [{ pointer, code: 'too_many_items', detail: `Must have at most ${counted(maxItems, 'item')}.` }]
  const faults: Fault[] = []
  for (const [index, item] of value.entries()) {
    faults.push(...schemaFaults(`${pointer}/${index}`, items, item, rules))
    if (faults.length >= maxFaults) break
  }
  return faults
}

/** Returns the fault of a value that is not in a list, whose schema names no type. */
function wordFaults(pointer: string, words: readonly unknown[], value: unknown): readonly Fault[] {
  if (words.includes(value)) return none
  if (!words.every((word) => typeof word === 'string'))
    return [{ pointer, code: 'not_in_enum', detail: `Must be one of ${words.join(', ')}.` }]
  const fault = scalarFault(pointer, { type: 'string', enum: words }, value)
  return fault === null ? none : [fault]
}

function constantFaults(pointer: string, wanted: unknown, value: unknown): readonly Fault[] {
  return value === wanted
    ? none
    : [{ pointer, code: 'not_in_enum', detail: `Must be ${JSON.stringify(wanted)}.` }]
}

/**
 * Returns the faults by the choice whose type the value has. Choices that are words make one list of words, which
 * the fault of a value of another type names.
 */
function choiceFaults(
  pointer: string,
  choices: readonly BodySchema[],
  value: unknown,
  rules: ReadRules,
): readonly Fault[] {
  const words = choices.flatMap(({ const: word }) => (typeof word === 'string' ? [word] : []))
  const others = choices.filter(({ const: word }) => typeof word !== 'string')
  if (words.length > 0 && words.includes(value as string)) return none
  let fewest: readonly Fault[] | null = null
  for (const choice of others) {
    const found = schemaFaults(pointer, choice, value, rules)
    if (found.length === 0) return none
    const isOther = found.some((fault) => fault.pointer === pointer && fault.code === 'wrong_type')
    if (!isOther && (fewest === null || found.length < fewest.length)) fewest = found
  }
  if (fewest !== null) return fewest
  const types = others.flatMap(({ type = [] }) => type)
  if (words.length === 0) return [typeFault(pointer, types)]
  const fault = scalarFault(pointer, { type: 'string', enum: words }, typeof value === 'string' ? value : '')
  const code = typeof value === 'string' ? 'not_in_enum' : 'wrong_type'
  return [{ ...(fault as Fault), code, detail: `Must be one of ${[...words, ...types].join(', ')}.` }]
}

const missingFault = (pointer: string, name: string): Fault => ({
  pointer: memberPointer(pointer, name),
  code: 'required',
  detail: `\`${name}\` is required.`,
})

const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
