import { expect, test } from 'vitest'
import type { LastSession } from '../../src/connectors/connector-tools.ts'
import type { BindOutcome } from '../../src/connectors/smpp/session/bind-outcome.ts'
import { Binding } from '../../src/connectors/smpp/session/binding.ts'
import { healthOf } from '../../src/connectors/smpp/link-health.ts'
import { defaultReconnectPolicy } from '../../src/connectors/smpp/session/reconnect-policy.ts'
import type { SessionEnd } from '../../src/connectors/smpp/session/session-events.ts'
import type { Session } from '../../src/connectors/smpp/session/session.ts'
import { eventually } from '../eventually.ts'
import { toolsOf } from '../phones/phone-fixture.ts'
import { createStubClock } from '../stub-clock.ts'
import { submissionOf } from '../contracts/contract-subject.ts'
import { silentTo } from './session-fixture.ts'
import { openStubLink } from './stub-link.ts'

/** Bindings of one device, one after the other, to a peer that lets every session in. */
function openPeer() {
  const clock = createStubClock()
  const lastSession: LastSession = { endedMs: null }
  const sessions: { end: (kind: 'peer_unbound' | 'unbound') => void }[] = []
  const createSession = (): Session => {
    const ended = Promise.withResolvers<SessionEnd>()
    const end = (kind: 'peer_unbound' | 'unbound'): void => ended.resolve({ kind, detail: kind })
    sessions.push({ end })
    const unbind = (): Promise<SessionEnd> => {
      end('unbound')
      return ended.promise
    }
    const session = {
      state: 'bound',
      open: async () => ({ kind: 'bound' }) as BindOutcome,
      ended: ended.promise,
      unbind,
    }
    return session as unknown as Session
  }
  const bind = (minMs: number): Binding => {
    const policy = { ...defaultReconnectPolicy, minMs }
    const tools = { ...toolsOf(clock), lastSession }
    const binding = new Binding({ tools, policy, createSession, changed: () => undefined })
    binding.start()
    return binding
  }
  return { clock, sessions, bind }
}

test('the first bind of a link waits for what is left of the least wait since the last session of the one before', async () => {
  const { clock, sessions, bind } = openPeer()
  const former = bind(30_000)
  expect(sessions).toHaveLength(1)
  await clock.advance(5_000)
  await former.stop()
  await clock.advance(10_000)
  const next = bind(30_000)
  expect(next.state).toMatchObject({ kind: 'waiting', lastEnd: null })
  const { status, reasons } = healthOf({
    states: [{ role: 'transceiver', state: next.state }],
    isStopped: false,
    isThrottled: false,
    nowMs: 0,
    lastSeenAt: null,
  })
  expect({ status, reasons }).toEqual({ status: 'pending', reasons: ['bind_postponed'] })
  await clock.advance(19_999)
  expect(sessions).toHaveLength(1)
  await clock.advance(1)
  expect(sessions).toHaveLength(2)
  await next.stop()
  bind(0)
  expect(sessions).toHaveLength(3)
})

test('a link that is stopped before its first bind never binds', async () => {
  const { clock, sessions, bind } = openPeer()
  await bind(30_000).stop()
  const next = bind(30_000)
  await next.stop()
  await clock.advance(60_000)
  expect(sessions).toHaveLength(1)
})

test('a session that is lost while its link waits for the answers of another is not made anew', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { sessions: '2', response_timeout_ms: '20000' },
  })
  await eventually(
    () => link.health().status,
    (status) => expect(status).toBe('online'),
  )
  const submitted = link.submit(submissionOf())
  await smsc.seen('submit_sm')
  const stopped = link.stop()
  await world.clock.advance(5_000)
  smsc.socket().destroy()
  await eventually(
    () => link.health().status,
    (status) => expect(status).toBe('degraded'),
  )
  await world.clock.advance(5_000)
  expect(link.health().reasons).not.toContain('connecting')
  await world.clock.advance(10_000)
  expect(await submitted).toMatchObject({ kind: 'unknown' })
  await stopped
  expect(smsc.received.filter(({ command }) => command === 'bind_transceiver')).toHaveLength(2)
})

test('a link whose password is refused does not try it again before half a minute has passed', async () => {
  const { smsc, world } = await openStubLink({
    answering: ({ command, sequence }) =>
      command === 'bind_transceiver'
        ? [{ command: 'bind_transceiver_resp', status: 0x0e, sequence, body: null }]
        : null,
    isSending: false,
  })
  const binds = async (): Promise<number> => {
    await world.atRest()
    return smsc.received.filter(({ command }) => command === 'bind_transceiver').length
  }
  expect(await binds()).toBe(1)
  await world.clock.advance(30_000)
  expect(await binds()).toBe(1)
  await world.clock.advance(30_000)
  expect(await binds()).toBe(2)
})
