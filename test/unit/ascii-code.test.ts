import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiCode } from '../../scripts/ascii-code.ts'

/** What an expression is, before and after. */
const both = (expression: string): [unknown, unknown] => {
  const code = asciiCode(`value = ${expression}`)
  expect(code).toMatch(/^[\0-\x7F]*$/)
  // oxlint-disable-next-line typescript/no-implied-eval -- what is compared is what the engine makes of both
  const run = (text: string): unknown => new Function(`let value; ${text}; return value`)() as unknown
  return [run(`value = ${expression}`), run(code)]
}

test('a text is the same in ASCII as before, in quotes and in templates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      const quoted = JSON.stringify(text)
      expect(both(quoted)[1]).toBe(text)
      const template = `\`${text.replaceAll(/[\\`]|\$(?=\{)|\r/g, (each) => (each === '\r' ? String.raw`\r` : `\\${each}`))}\`` // prettier-ignore
      expect(both(template)[1]).toBe(text)
    }),
  )
})

test('an expression matches the same, with its flags, and a backslash in front of a character stays one', () => {
  for (const expression of [
    '/[–→]/.test("→")',
    '/^[😀-😂]$/u.test("😁")',
    '/^[^😀]$/u.test("😀")',
    String.raw`/\–/.test("–")`,
    String.raw`"\–\\–" + '\é'`,
    '"–".replaceAll(/[^\\0-\\x7F]/g, "x")',
    '{ größe: 1 }.größe',
    '1 /* – */ + 1',
  ]) {
    const [before, after] = both(expression)
    expect(after, expression).toEqual(before)
  }
})

test('where an escape would mean something else, the build ends', () => {
  expect(() => asciiCode('value = String.raw`–`')).toThrow('Beyond ASCII in a template that may be read raw: String.raw`–`') // prettier-ignore
  expect(asciiCode('value = html`–${1}`')).toBe(String.raw`value = html` + '`\\u2013${1}`')
  expect(asciiCode('value = String.raw`\\n` + "–"')).toBe(
    String.raw`value = String.raw` + '`\\n` + "\\u2013"',
  )
  expect(() => asciiCode('value =\u00A01')).toThrow(/\S/)
})

test('code in ASCII is left as it is', () => {
  expect(asciiCode('this is no code')).toBe('this is no code')
})
