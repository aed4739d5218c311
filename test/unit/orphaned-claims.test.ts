import { expect, test } from 'vitest'
import { OrphanedClaims } from '../../src/dispatch/submissions/orphaned-claims.ts'
import type { OpenClaim } from '../../src/messages/outcomes/open-claims.ts'

/** What is open in the database, what becomes of it, and what is said. */
function house(open: readonly Partial<OpenClaim>[]) {
  const ended: [attemptId: string, kind: string, onUnknown: string | undefined][] = []
  const said: [level: string, messages: number][] = []
  const claims = new OrphanedClaims({
    log: {
      warn: ({ messages }: { messages: number }) => said.push(['warn', messages]),
      error: ({ messages }: { messages: number }) => said.push(['error', messages]),
    } as never,
    readOpen: async () => open as OpenClaim[],
    isKnown: (attemptId) => attemptId === 'known',
    end: async ({ attemptId, onUnknown }, { kind }) => void ended.push([attemptId, kind, onUnknown]),
  })
  return { claims, ended, said }
}
const claim = (attemptId: string, startedAt: number, isHeld = false): Partial<OpenClaim> => ({
  attemptId,
  startedAt,
  isHeld,
  onUnknown: 'resend_once',
})

test('without a failed claim nothing is looked for', async () => {
  const { claims, ended, said } = house([claim('a', 100)])
  await claims.resolve()
  expect([ended, said]).toEqual([[], []])
})

test('one claim that failed here and was stored is requeued, which is all that is said', async () => {
  const { claims, ended, said } = house([claim('a', 100), claim('known', 100)])
  claims.failed(100)
  await claims.resolve()
  expect(ended).toEqual([['a', 'unavailable', 'resend_once']])
  expect(said).toEqual([['warn', 1]])
  await claims.resolve()
  expect(ended).toHaveLength(1)
})

test('one that is older, or that a restore holds, was submitted: it becomes unconfirmed, and is never sent again', async () => {
  const { claims, ended, said } = house([claim('older', 99), claim('held', 100, true)])
  claims.failed(100)
  await claims.resolve()
  expect(ended).toEqual([
    ['older', 'unknown', 'stop'],
    ['held', 'unknown', 'stop'],
  ])
  expect(said).toEqual([['error', 2]])
})

test('after a restore all that is open was submitted', async () => {
  const { claims, ended, said } = house([claim('a', 100)])
  claims.restored()
  await claims.resolve()
  expect([ended, said]).toEqual([[['a', 'unknown', 'stop']], [['error', 1]]])
})
