import { expect, test } from 'vitest'
import { bearerOf } from '../../src/connectors/android/access.ts'

const tokenIn = (authorization: string) => bearerOf({ headers: { authorization } })

test.for([
  ['Bearer one', 'one'],
  ['bearer   two words\t', 'two words'],
  [`Bearer ${'x'.repeat(512)}`, 'x'.repeat(512)],
  [`Bearer ${' '.repeat(2_000)}three${' '.repeat(2_000)}`, 'three'],
  [`Bearer ${'x'.repeat(513)}`, null],
  ['Bearer', null],
  ['Bearer  \t', null],
  ['Bearer\u00a0four', null],
  ['Bearer f\u00ffve', null],
  ['Basic c2l4', null],
] as const)('reads the token of %j', ([authorization, token]) => expect(tokenIn(authorization)).toBe(token))

test('what is no token is refused in a time that grows with its length alone, since nobody has shown a credential yet', () => {
  const cpuOf = (blanks: number): number => {
    const header = `Bearer ${' '.repeat(blanks)}\u00ff`
    const { user } = process.threadCpuUsage()
    tokenIn(header)
    return process.threadCpuUsage().user - user
  }
  tokenIn('Bearer warm')
  const least = (blanks: number) => Math.min(...[1, 2, 3].map(() => cpuOf(blanks)))
  // What looks at up to 512 characters behind each blank takes more than ten times as long.
  expect(least(200_000)).toBeLessThan(20_000)
})
