import { expect, test } from 'vitest'
import { createReachProof } from '../../src/reach/reach-proof.ts'

const nonce = 'AAAAAAAAAAAAAAAAAAAAAA'
const [old, now] = ['a former secret that is long enough', 'the current secret, long enough, too']

test('an instance knows its own answer, also by a former secret, and no other', () => {
  const former = createReachProof({ current: old, former: [] })
  const current = createReachProof({ current: now, former: [old] })
  expect(current.isOurs(nonce, current.answerTo(nonce) ?? '')).toBe(true)
  expect(current.isOurs(nonce, former.answerTo(nonce) ?? '')).toBe(true)
  expect(former.isOurs(nonce, current.answerTo(nonce) ?? '')).toBe(false)
  expect(current.isOurs(`${nonce.slice(1)}B`, current.answerTo(nonce) ?? '')).toBe(false)
  expect(current.isOurs(nonce, '')).toBe(false)
})

test.for(['', 'short', `${nonce}/..`, 'A'.repeat(65), 'ä'.repeat(22)])(
  '%j is no nonce and gets no answer',
  (given) => expect(createReachProof({ current: now, former: [] }).answerTo(given)).toBe(null),
)
