import { expect, test } from 'vitest'
import { createIdentityLimits, takeSignInAttempt } from '../../src/api/console/identity-limits.ts'
import { SharedCounts } from '../../src/shared-counts.ts'
import { createStubClock } from '../stub-clock.ts'

const settings = { signInFailures: 3, signUpsPerHour: 5, invitationsPerHour: 20 }

function openLimits() {
  const counts = new SharedCounts()
  counts.tellBy({ isHeard: () => true, plan: () => undefined })
  return { counts, limits: createIdentityLimits({ clock: createStubClock(), counts }, settings) }
}

test('whatever is tried to be opened has a name of the same length for the other nodes, and a name of its own', () => {
  const { counts, limits } = openLimits()
  const names = ['ada@example.org', 'bob@example.org', `passkey ${'A'.repeat(1_364)}`, 'c'.repeat(15_000), '']
  for (const [i, name] of names.entries()) takeSignInAttempt(limits, { name, address: `10.0.0.${i}` })
  const told = counts.take().filter(([kind]) => kind === 'signInByName')
  expect(told.map(([, name]) => name.length)).toEqual(names.map(() => 43))
  expect(new Set(told.map(([, name]) => name)).size).toBe(names.length)
})

test('attempts at one name are refused from the fourth on, from wherever they come, and success begins anew', () => {
  const { counts, limits } = openLimits()
  const attempt = (address: string) => takeSignInAttempt(limits, { name: 'ada@example.org', address })
  for (let round = 0; round < 2; round++) {
    const attempts = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map(attempt)
    expect(() => attempt('10.0.0.4')).toThrow('too many attempts')
    attempts.at(-1)?.succeeded()
  }
  expect(counts.take().filter(([kind]) => kind === 'signInByName')).toEqual([])
})
