import { expect, test } from 'vitest'
import {
  createIdentityLimits,
  takeCodeAttempt,
  takeEmailLink,
  takeReset,
  takeSignInAttempt,
} from '../../src/api/console/core/identity-limits.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { createStubClock } from '../stub-clock.ts'

const settings = { signInFailures: 3, signUpsPerHour: 5, invitationsPerHour: 20 }

function openLimits() {
  const counts = new SharedCounts()
  counts.tellBy({ isHeard: () => true, plan: () => undefined })
  const clock = createStubClock()
  return { counts, clock, limits: createIdentityLimits({ clock, counts }, settings) }
}

test('whatever is tried to be opened has a name of the same length for the other nodes, and a name of its own', () => {
  const { counts, limits } = openLimits()
  const names = ['ada@example.org', 'bob@example.org', `passkey ${'A'.repeat(1_364)}`, 'c'.repeat(15_000), '']
  for (const [i, name] of names.entries()) takeSignInAttempt(limits, { name, address: `10.0.0.${i}` })
  const told = counts.take()
  for (const counted of ['signInByName', 'signInByPlace']) {
    const digests = told.filter(([kind]) => kind === counted).map(([, name]) => name)
    expect(digests.map((name) => name.length)).toEqual(names.map(() => 43))
    expect(new Set(digests).size).toBe(names.length)
  }
})

/** Tries `ada`, so many times from an address, and says how many were let through. */
const tries = (
  limits: ReturnType<typeof openLimits>['limits'],
  { address, count, browser = null }: { address: string; count: number; browser?: string | null },
): number => {
  let through = 0
  for (let i = 0; i < count; i++) {
    try {
      takeSignInAttempt(limits, { name: 'ada@example.org', address, browser })
      through += 1
    } catch (error) {
      expect((error as Error).message).toContain('Too many attempts')
    }
  }
  return through
}

test('attempts at one name are refused from the fourth on at one network, a /64 of IPv6, and no other network waits for that', () => {
  const { limits } = openLimits()
  expect(tries(limits, { address: '10.0.0.1', count: 5 })).toBe(3)
  expect(tries(limits, { address: '2001:db8:0:1::1', count: 2 })).toBe(2)
  expect(tries(limits, { address: '2001:db8:0:1:ffff::2', count: 2 })).toBe(1)
  expect(tries(limits, { address: '2001:db8:0:2::1', count: 1 })).toBe(1)
})

test('a /48 of IPv6 has three times as many attempts at one name as a network, and as many at all names', () => {
  const { limits } = openLimits()
  const address = (i: number) => `2001:db8:0:${i.toString(16)}::1`
  let through = 0
  for (let i = 0; i < 40; i++) through += tries(limits, { address: address(i), count: 1 })
  expect(through).toBe(9)
  expect(tries(limits, { address: '2001:db8:1:1::1', count: 1 })).toBe(1)
  const { limits: fresh } = openLimits()
  const statuses = Array.from({ length: 40 }, (_, i) => {
    try {
      return void takeSignInAttempt(fresh, { name: `user-${i}`, address: address(i) })
    } catch {
      return 'refused'
    }
  })
  expect(statuses.indexOf('refused')).toBe(27)
})

test('success takes an attempt back from the /48, and ends the count of its network only', () => {
  const { limits } = openLimits()
  const at = (i: number) =>
    takeSignInAttempt(limits, { name: 'ada@example.org', address: `2001:db8:0:${i}::1` })
  for (let i = 0; i < 50; i++) at(1).succeeded()
  for (let i = 0; i < 8; i++) at(i)
  at(8).succeeded()
  at(8)
  expect(() => at(9)).toThrow('Too many attempts')
})

test('all networks together have ten times as many, and one of them cannot use these up', () => {
  const { limits } = openLimits()
  expect(tries(limits, { address: '10.0.0.0', count: 100 })).toBe(3)
  let through = 3
  for (let i = 1; i < 50; i++) through += tries(limits, { address: `10.0.0.${i}`, count: 1 })
  expect(through).toBe(30)
})

test('a known browser is kept out by no stranger, has as many attempts of its own, and keeps no stranger out', () => {
  const { limits } = openLimits()
  for (let i = 0; i < 20; i++) tries(limits, { address: `10.0.0.${i}`, count: 5 })
  expect(tries(limits, { address: '10.0.0.1', count: 5, browser: 'usr_a nonce' })).toBe(3)
  expect(tries(limits, { address: '10.0.0.1', count: 1, browser: 'usr_a other' })).toBe(1)
  const { limits: fresh } = openLimits()
  tries(fresh, { address: '10.0.0.1', count: 5, browser: 'usr_a nonce' })
  expect(tries(fresh, { address: '10.0.0.1', count: 5 })).toBe(3)
})

test('a stranger who asks for links to an address keeps nobody at another network from one, and ten an hour are mailed', () => {
  const { limits } = openLimits()
  const ask = (i: number): boolean => {
    try {
      takeReset(limits, { address: `10.0.0.${i}`, email: 'ada@example.org' })
      return true
    } catch {
      return false
    }
  }
  expect([ask(1), ask(1), ask(1), ask(1), ask(2)]).toEqual([true, true, true, false, true])
  expect(Array.from({ length: 10 }, (_, i) => ask(10 + i)).filter((isTaken) => isTaken)).toHaveLength(6)
})

test('a known browser asks for three links an hour whatever strangers have asked for, and takes none of theirs', () => {
  const { limits } = openLimits()
  const ask = (i: number, browser: string | null = null): boolean => {
    try {
      takeReset(limits, { address: `10.0.0.${i}`, email: 'ada@example.org', browser })
      return true
    } catch {
      return false
    }
  }
  const known = 'usr_a nonce'
  expect([ask(1, known), ask(1, known)]).toEqual([true, true])
  expect(Array.from({ length: 20 }, (_, i) => ask(i)).filter((isTaken) => isTaken)).toHaveLength(10)
  expect([ask(1, known), ask(2, known), ask(2, 'usr_a other')]).toEqual([true, false, true])
})

test('a user asks for three links an hour to one address and keeps no other from one, and ten an hour are mailed there', () => {
  const { limits } = openLimits()
  const ask = (userId: string, email = 'ada@example.org'): boolean => {
    try {
      takeEmailLink(limits, { userId, email })
      return true
    } catch {
      return false
    }
  }
  expect(Array.from({ length: 4 }, () => ask('usr_a'))).toEqual([true, true, true, false])
  expect([ask('usr_b'), ask('usr_a', 'eve@example.org')]).toEqual([true, true])
  expect(Array.from({ length: 10 }, (_, i) => ask(`usr_${i}`)).filter((isTaken) => isTaken)).toHaveLength(6)
})

test('known browsers of one user have together ten times as many codes a day as one has, until one is right', async () => {
  const { limits, clock } = openLimits()
  /** As many as there are, each from another browser that the user has signed in from. */
  const codes = (userId: string, count: number) =>
    Array.from({ length: count }, (_, i) => {
      const browser = `code ${userId} ${i} ${clock.now()}`
      try {
        return takeCodeAttempt(limits, { name: 'challenge', address: '10.0.0.1', browser, userId })
      } catch {
        return null
      }
    })
  const through = (userId: string, count: number) =>
    codes(userId, count).filter((attempt) => attempt !== null).length
  expect([through('usr_a', 40), through('usr_b', 5)]).toEqual([30, 5])
  await clock.advance(86_399_000)
  expect(through('usr_a', 1)).toBe(0)
  await clock.advance(1_000)
  const attempts = codes('usr_a', 30)
  expect(through('usr_a', 1)).toBe(0)
  attempts.at(-1)?.succeeded()
  expect(through('usr_a', 31)).toBe(30)
})

test('success ends the count of a name at its network, of a browser its own, and is told to no other node', () => {
  const { counts, limits } = openLimits()
  for (const browser of [null, 'usr_a nonce'])
    for (let round = 0; round < 2; round++) {
      const attempt = () =>
        takeSignInAttempt(limits, { name: 'ada@example.org', address: '10.0.0.1', browser })
      const attempts = [attempt(), attempt(), attempt()]
      expect(attempt).toThrow('Too many attempts')
      attempts.at(-1)?.succeeded()
    }
  const left = counts.take().filter(([kind]) => kind === 'signInByPlace' || kind === 'signInByBrowser')
  expect(left).toEqual([])
})
