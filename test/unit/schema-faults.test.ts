import fc from 'fast-check'
import { type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { calls } from '../../src/api/console/calls.ts'
import type { AnyCall } from '../../src/api/console/core/call.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { type BodySchema, readMembers, schemaFaults } from '../../src/runtime/schema-faults.ts'
import { closed, oneOf } from '../../src/runtime/schemas.ts'

const schemas: [string, BodySchema][] = [
  ...Object.entries(calls as Record<string, AnyCall>).map(([name, { input }]): [string, BodySchema] => [
    name,
    input,
  ]),
  ...operatorOperations.flatMap(({ id, body }): [string, BodySchema][] =>
    body === undefined ? [] : [[id, body.schema as BodySchema]],
  ),
]

const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    -1,
    60.5,
    1_440,
    '',
    'live',
    'owner',
    'DE',
    'enabled',
    'x'.repeat(2_001),
  ),
  fc.string({ maxLength: 60 }),
  fc.constantFrom('msg_01k9ktn8q4e8bvzr5y1w3xh7dg', 'dev_01k9ktn8q4e8bvzr5y1w3xh7dg', 'smpp', 'delivered'),
)
const anything = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.string({ maxLength: 5 }), scalar),
)

/** Values that a schema allows; with `mistakes` a wrong one now and then. */
function valueOf(schema: BodySchema, mistakes: boolean): fc.Arbitrary<unknown> {
  const right = (): fc.Arbitrary<unknown> => {
    const {
      anyOf,
      const: constant,
      enum: words,
      type,
      properties = {},
      required = [],
      items,
      patternProperties,
    } = schema
    if (anyOf !== undefined) return fc.oneof(...anyOf.map((choice) => valueOf(choice, mistakes)))
    if (constant !== undefined) return fc.constant(constant)
    if (Array.isArray(type))
      return fc.oneof(
        ...type.map((each: string) =>
          each === 'null' ? fc.constant(null) : valueOf({ ...schema, type: each }, mistakes),
        ),
      )
    if (words !== undefined) return fc.constantFrom(...words)
    if (type === 'object' && patternProperties !== undefined)
      return fc.dictionary(
        fc.string({ maxLength: 4 }),
        valueOf(Object.values(patternProperties)[0] ?? {}, mistakes),
        {
          maxKeys: 3,
        },
      )
    if (type === 'object')
      return fc.record(
        Object.fromEntries([
          ...Object.entries(properties).map(([name, member]) => [name, valueOf(member, mistakes)]),
          ...(mistakes ? [['surplus', fc.constant(1)]] : []),
        ]) as Record<string, fc.Arbitrary<unknown>>,
        { requiredKeys: [...required] },
      )
    if (type === 'array') return fc.array(valueOf(items ?? {}, mistakes), { maxLength: 3 })
    if (type === 'integer')
      return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? (schema.minimum ?? 0) + 1_000 })
    if (type === 'string')
      return schema.pattern === undefined
        ? fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 30, 30) })
        : fc.stringMatching(new RegExp(schema.pattern, 'u'))
    return type === 'boolean' ? fc.boolean() : type === 'null' ? fc.constant(null) : scalar
  }
  return mistakes ? fc.oneof({ arbitrary: right(), weight: 12 }, { arbitrary: anything, weight: 1 }) : right()
}

test.each(schemas)('what %s refuses is what its schema does not allow', (_name, schema) => {
  const fits = Compile(schema as TObject)
  const agrees = (value: unknown): void => {
    expect(schemaFaults('', schema, value).length === 0).toBe(fits.Check(value))
  }
  fc.assert(fc.property(valueOf(schema, true), agrees), { numRuns: 40 })
  fc.assert(fc.property(valueOf(schema, false), agrees), { numRuns: 20 })
  expect(fc.sample(valueOf(schema, false), 20).filter((value) => fits.Check(value))).not.toEqual([])
})

/** What the reader knows of JSON Schema, and what says nothing about values. */
const known = new Set([
  'type', 'const', 'enum', 'anyOf', 'properties', 'required', 'patternProperties', 'additionalProperties', 'maxProperties', 'items', 'minItems',
  'maxItems', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'description', 'default', 'examples',
]) // prettier-ignore

/** Keywords of a schema that the reader would pass over, with their places. */
function unknownKeywords(schema: BodySchema, at: string): string[] {
  const { anyOf = [], properties = {}, patternProperties = {}, items, type, format, additionalProperties } = schema
  const nested: [string, BodySchema][] = [
    ...anyOf.map((choice, i): [string, BodySchema] => [`${at}/anyOf/${i}`, choice]),
    ...Object.entries({ ...properties, ...patternProperties }).map(([name, member]): [string, BodySchema] => [`${at}/${name}`, member]),
    ...(items === undefined ? [] : [[`${at}/items`, items] as [string, BodySchema]]),
  ]
  return [
    ...Object.keys(schema).filter((keyword) => !known.has(keyword)).map((keyword) => `${at} ${keyword}`),
    ...(Array.isArray(type) && type.some((each) => ['object', 'array'].includes(each)) ? [`${at} type`] : []),
    ...(format === undefined || format === 'date-time' ? [] : [`${at} format`]),
    ...(additionalProperties === undefined || typeof additionalProperties === 'boolean' ? [] : [`${at} additionalProperties`]),
    ...nested.flatMap(([place, member]) => unknownKeywords(member, place)),
  ]
} // prettier-ignore

test('no schema of a body uses a keyword that the reader does not know', () => {
  expect(unknownKeywords({ allOf: [], type: ['object', 'null'], format: 'email' } as object, '')).toEqual([
    ' allOf',
    ' type',
    ' format',
  ])
  expect(schemas.flatMap(([name, schema]) => unknownKeywords(schema, name))).toEqual([])
})

const whole: BodySchema = Type.Object(
  {
    mode: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Null()]),
    hours: Type.Union([Type.Object({ from: Type.Integer({ minimum: 0 }) }, closed), Type.Null()]),
    role: oneOf(['owner', 'member'], 'Role.'),
    kinds: Type.Array(Type.Enum(['phone', 'link']), { minItems: 1, maxItems: 2 }),
    secrets: Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.String(), {
      maxProperties: 1,
      additionalProperties: false,
    }),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    accepted: Type.Literal(true),
  },
  closed,
) as object
const right = { mode: 'live', hours: null, role: 'owner', kinds: ['phone'], secrets: {}, accepted: true }

test.each<[string, object, string, string]>([
  ['a member of another type', { role: 7 }, '/role', 'Must be a string.'],
  ['an unknown member', { rol: 'owner' }, '/rol', 'Unknown field. Did you mean `role`?'],
  ['a word that there is not', { mode: 'prod' }, '/mode', 'Must be one of live, test, null.'],
  ['a type of no word', { mode: 7 }, '/mode', 'Must be one of live, test, null.'],
  ['a type of no choice', { hours: 7 }, '/hours', 'Must be an object or null.'],
  ['a member of a choice', { hours: { from: -1 } }, '/hours/from', 'Must be at least 0.'],
  ['a member that a choice lacks', { hours: {} }, '/hours/from', '`from` is required.'],
  [
    'an unknown member of a choice',
    { hours: { from: 1, form: 1 } },
    '/hours/form',
    'Unknown field. Did you mean `from`?',
  ],
  ['a list that is none', { kinds: 'phone' }, '/kinds', 'Must be a list.'],
  ['a list that is too short', { kinds: [] }, '/kinds', 'Must have at least 1 item.'],
  ['a list that is too long', { kinds: ['phone', 'link', 'link'] }, '/kinds', 'Must have at most 2 items.'],
  ['an item', { kinds: ['phone', 'fax'] }, '/kinds/1', 'Must be one of phone, link.'],
  ['too many entries', { secrets: { a: '', b: '' } }, '/secrets', 'Must have at most 1 entry.'],
  ['an entry', { secrets: { a: 1 } }, '/secrets/a', 'Must be a string.'],
  ['the name of an entry', { secrets: { A: '' } }, '/secrets/A', 'Unknown field.'],
  ['a time that is none', { at: 'soon' }, '/at', 'RFC 3339'],
  ['a constant', { accepted: false }, '/accepted', 'Must be true.'],
])('%s is named with what to do', (_what, change, pointer, detail) => {
  const { valid, faults } = readMembers(whole, { ...right, ...change })
  expect(faults).toMatchObject([{ pointer, detail: expect.stringContaining(detail) }])
  expect(Object.keys(valid)).not.toContain(pointer.split('/')[1])
})

test('all that is wrong is listed at once, up to a hundred', () => {
  expect(readMembers(whole, {}).faults.map(({ pointer }) => pointer)).toEqual([
    '/mode', '/hours', '/role', '/kinds', '/secrets', '/accepted',
  ])
  const { role: _role, ...roleless } = right
  expect(readMembers(whole, roleless).faults).toEqual([
    { pointer: '/role', code: 'required', detail: '`role` is required.' },
  ])
  const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`unknown-${i}`, i]))
  const flooded = readMembers(whole, { ...flood, ...right, role: 7 })
  expect(flooded.faults).toHaveLength(100)
  // What was not looked at is not taken as valid.
  expect(Object.keys(flooded.valid)).toEqual([])
  expect(readMembers(whole, { ...right, ...flood }).valid).toEqual(right)
  expect(readMembers(whole, { ...right, hours: flood }).faults.length).toBeLessThanOrEqual(101)
  expect(readMembers(whole, JSON.parse('{"__proto__": 1, "constructor": 2}') as never).faults).toHaveLength(8)
}) // prettier-ignore
