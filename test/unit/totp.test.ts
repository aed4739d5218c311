import { expect, test } from 'vitest'
import { stepOfCode } from '../../src/accounts/people/totp.ts'

/** RFC 6238, appendix B, SHA-1: the last six of its eight digits. */
const secret = '12345678901234567890'
test.for<[seconds: number, code: string]>([
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('the code of second %i is that of RFC 6238, one step early or late too, and two are not', ([at, code]) => {
  const step = Math.floor(at / 30)
  const stepAt = (by: number) => stepOfCode(secret, code, (at + by * 30) * 1_000)
  expect([-2, -1, 0, 1, 2].map(stepAt)).toEqual([null, step, step, step, null])
})
