import { expect, test } from 'vitest'
import { Binding } from '../../src/connectors/smpp/session/binding.ts'
import type { BindOutcome } from '../../src/connectors/smpp/session/bind-outcome.ts'
import { defaultReconnectPolicy } from '../../src/connectors/smpp/session/reconnect-policy.ts'
import type { Session } from '../../src/connectors/smpp/session/session.ts'
import type { SessionEnd } from '../../src/connectors/smpp/session/session-events.ts'
import { createStubClock } from '../stub-clock.ts'
import { toolsOf } from '../phones/phone-fixture.ts'

const refused: SessionEnd = { kind: 'bind_refused', status: 0x0e, detail: 'wrong password' }
const bound = { kind: 'bound' } as BindOutcome

/** How many sessions count as lost when the first one went so. */
async function lostAfter(outcome: BindOutcome, end: SessionEnd): Promise<number> {
  const clock = createStubClock()
  let lost = 0
  const counters = {
    answered: () => undefined,
    sessionLost: () => void (lost += 1),
    unparsed: () => undefined,
  }
  const never = new Promise<never>(() => undefined)
  const sessions = [
    { open: async () => outcome, ended: Promise.resolve(end) },
    { open: () => never, ended: never },
  ]
  const binding = new Binding({
    tools: { ...toolsOf(clock), counters },
    policy: defaultReconnectPolicy,
    createSession: () => sessions.shift() as unknown as Session,
    changed: () => undefined,
  })
  binding.start()
  // Once it has noticed, the wait begins.
  for (let n = 0; n < 3; n++) await clock.advance(300_000)
  expect(sessions).toEqual([])
  return lost
}

test('a session counts as lost that was bound and that nobody here had ended', async () => {
  expect(await lostAfter(bound, { kind: 'peer_unbound', detail: 'the peer unbound' })).toBe(1)
  expect(await lostAfter(bound, { kind: 'no_enquire_link_answer', detail: 'silent' })).toBe(1)
})

test('a bind that was refused was no session, and what we end ourselves is not lost', async () => {
  expect(await lostAfter({ kind: 'failed', end: refused }, refused)).toBe(0)
  for (const kind of ['unbound', 'inactive', 'aborted'] as const)
    expect(await lostAfter(bound, { kind, detail: 'by us' }), kind).toBe(0)
})
