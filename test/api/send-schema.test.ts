import { Compile } from 'typebox/compile'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSendBody, SendBodySchema } from '../../src/sending/send-body.ts'

test('the words for faults and the schema of the reference deny the same bodies', () => {
  const fits = Compile(SendBodySchema)
  const value = fc.oneof(
    fc.constantFrom(
      null,
      true,
      0,
      1,
      10,
      11,
      60,
      60.5,
      259_201,
      '',
      'x',
      'auto',
      'ucs2',
      'marketing',
      'stop',
      '+4915112345678',
      'Acme',
      '12345',
      ' a',
      [],
      {},
    ),
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.dictionary(fc.string({ maxLength: 42 }), fc.oneof(fc.string(), fc.integer()), { maxKeys: 12 }),
    fc.array(fc.constantFrom('+4915112345678', 5), { maxLength: 3 }),
  )
  const names = [...Object.keys(SendBodySchema.properties), 'unknown']
  const body = fc
    .record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    .chain((some) =>
      fc.constantFrom(
        some,
        { ...some, to: '+4915112345678', text: 'x' },
        { to: '+4915112345678', text: 'x' },
      ),
    )
  fc.assert(
    fc.property(body, (some) => {
      const read = readSendBody(some)
      // The form of numbers is told by the number itself; what is echoed is judged beyond its schema.
      const beyond = read.faults.filter(
        ({ code, pointer }) =>
          !['invalid_unicode', 'control_character'].includes(code) &&
          !(pointer === '/metadata' && code === 'too_long'),
      )
      const numbers = [(some as { to?: unknown }).to].flat()
      const cleanNumbers = numbers.every(
        (number) => typeof number !== 'string' || /^\+[1-9][0-9]{6,14}$/.test(number),
      )
      expect(beyond.length === 0 && cleanNumbers).toBe(fits.Check(some))
    }),
    { numRuns: 2_000 },
  )
})
