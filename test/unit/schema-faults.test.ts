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

/** Values that a schema mostly allows: a wrong one now and then. */
function valueOf(schema: BodySchema): fc.Arbitrary<unknown> {
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
    if (anyOf !== undefined) return fc.oneof(...anyOf.map(valueOf))
    if (constant !== undefined) return fc.constant(constant)
    if (words !== undefined) return fc.constantFrom(...words)
    if (type === 'object' && patternProperties !== undefined)
      return fc.dictionary(fc.string({ maxLength: 4 }), valueOf(Object.values(patternProperties)[0] ?? {}), {
        maxKeys: 3,
      })
    if (type === 'object')
      return fc.record(
        Object.fromEntries([
          ...Object.entries(properties).map(([name, member]) => [name, valueOf(member)]),
          ['surplus', fc.constant(1)],
        ]) as Record<string, fc.Arbitrary<unknown>>,
        { requiredKeys: [...required] },
      )
    if (type === 'array') return fc.array(valueOf(items ?? {}), { maxLength: 3 })
    if (type === 'integer') return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000 })
    if (type === 'string' && schema.pattern === undefined) return fc.string({ maxLength: 30 })
    return scalar
  }
  return fc.oneof({ arbitrary: right(), weight: 12 }, { arbitrary: anything, weight: 1 })
}

test.each(schemas)('what %s refuses is what its schema does not allow', (_name, schema) => {
  const fits = Compile(schema as TObject)
  fc.assert(
    fc.property(valueOf(schema), (value) => {
      expect(schemaFaults('', schema, value).length === 0).toBe(fits.Check(value))
    }),
    { numRuns: 40 },
  )
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
  ['a missing member', { role: undefined }, '/role', 'Must be a string.'],
  ['an unknown member', { rol: 'owner' }, '/rol', 'Unknown field. Did you mean `role`?'],
  ['a word that there is not', { mode: 'prod' }, '/mode', 'Must be one of live, test.'],
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
  ['too many entries', { secrets: { a: '', b: '' } }, '/secrets', 'Must have at most 1 entries.'],
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
  const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`unknown-${i}`, i]))
  expect(readMembers(whole, { ...right, ...flood }).faults).toHaveLength(100)
  expect(readMembers(whole, { ...right, hours: flood }).faults.length).toBeLessThanOrEqual(101)
  expect(readMembers(whole, JSON.parse('{"__proto__": 1, "constructor": 2}') as never).faults).toHaveLength(8)
}) // prettier-ignore
