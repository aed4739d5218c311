import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { type MessagePeer, startMessagePeer } from '../peers/message-peer.ts'
import { submissionOf, type Opened, openSubject } from './contract-subject.ts'
import { createSimulatorSubject } from './simulator-subject.ts'

const folder = mkdtempSync(join(tmpdir(), 'onesixty-peer-'))
let peer: MessagePeer

beforeAll(async () => {
  peer = await startMessagePeer(join(folder, 'peer.ndjson'))
})
afterAll(async () => {
  await peer.stop()
  rmSync(folder, { recursive: true })
})

const openWith = async (peerUrl: string, settings: Record<string, string> = {}): Promise<Opened> => {
  const opened = await openSubject(createSimulatorSubject(() => null))
  opened.subject.link.applySettings?.({ peer_url: peerUrl, ...settings })
  return opened
}
const answerOf = async (query: string): Promise<Outcome> => {
  const { subject } = await openWith(`${peer.url}?${query}`)
  return subject.link.submit(submissionOf())
}

test('the peer is told attempt, numbers, text and parts before the device answers', async () => {
  const { subject } = await openWith(peer.url)
  const submission = submissionOf({ from: 'Onesixty', text: 'x'.repeat(161), parts: 2 })
  expect((await subject.link.submit(submission)).kind).toBe('accepted')
  const { attemptId, to, from, text, parts } = submission
  expect(peer.records().at(-1)).toMatchObject({ attempt_id: attemptId, to, from, text, parts, answered: 200 })
})

test('any 2xx of the peer takes the message', async () => {
  expect((await answerOf('status=204')).kind).toBe('accepted')
})

test('a 4xx of the peer refuses it for good', async () => {
  expect(await answerOf('status=404')).toMatchObject({ kind: 'refused', lasts: 'good', networkCode: '404' })
})

test('a 503 of the peer is busy', async () => {
  expect(await answerOf('status=503')).toMatchObject({ kind: 'refused', lasts: 'busy', networkCode: '503' })
})

test('a 500 of the peer leaves the outcome unknown', async () => {
  expect(await answerOf('status=500')).toMatchObject({ kind: 'unknown', answered: { networkCode: '500' } })
})

test('a redirect of the peer is not followed and leaves the outcome unknown', async () => {
  expect((await answerOf('status=302')).kind).toBe('unknown')
})

test('a connection that drops after the message was read leaves the outcome unknown', async () => {
  expect((await answerOf('drop=true')).kind).toBe('unknown')
})

test('a peer that does not answer within 10 s leaves the outcome unknown', async () => {
  const { world, subject } = await openWith(`${peer.url}?delay_ms=60000`)
  const submission = submissionOf()
  const submitted = subject.link.submit(submission)
  await expect.poll(() => peer.records().at(-1)?.attempt_id).toBe(submission.attemptId)
  await world.clock.advance(10_000)
  expect((await submitted).kind).toBe('unknown')
})

test('a peer that refuses connections is unavailable, and the device degraded until it answers', async () => {
  const { world, subject } = await openWith(`http://127.0.0.1:${await closedPort()}/`)
  expect((await subject.link.submit(submissionOf())).kind).toBe('unavailable')
  expect(world.statuses.at(-1)).toBe('degraded')
  expect(subject.link.health()).toMatchObject({ status: 'degraded', reasons: ['peer_unreachable'] })
  subject.link.applySettings?.({ peer_url: peer.url })
  expect(world.statuses.at(-1)).toBe('online')
  expect((await subject.link.submit(submissionOf())).kind).toBe('accepted')
})

test('what is refused on purpose never reaches the peer', async () => {
  const { subject } = await openWith(peer.url, { refuse: 'now' })
  const before = peer.records().length
  expect((await subject.link.submit(submissionOf())).kind).toBe('refused')
  expect((await subject.link.submit(submissionOf({ to: '+15005550005' }))).kind).toBe('refused')
  expect(peer.records()).toHaveLength(before)
})

test('what fails as unknown on purpose has reached the peer', async () => {
  const { subject } = await openWith(peer.url, { fail: 'unknown' })
  const submission = submissionOf()
  expect((await subject.link.submit(submission)).kind).toBe('unknown')
  expect(peer.records().at(-1)?.attempt_id).toBe(submission.attemptId)
})

test('a change of the peer leaves the open submits to the old one', async () => {
  const { subject } = await openWith(`${peer.url}?delay_ms=50`)
  const submitted = subject.link.submit(submissionOf())
  subject.link.applySettings?.({ peer_url: '' })
  expect((await submitted).kind).toBe('accepted')
})

/** A port on which nobody listens: it was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
