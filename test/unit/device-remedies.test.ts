import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { connectorKinds } from '../../src/connectors/registry.ts'
import { explainedReasons, remediesOf } from '../../src/connectors/device-remedies.ts'
import { healthOf, type PhoneFacts } from '../../src/connectors/android/phone-health.ts'
import { readSettings } from '../../src/connectors/android/settings.ts'
import type { BindingState } from '../../src/connectors/smpp/session/binding.ts'
import { healthOf as linkHealthOf, type LinkReason } from '../../src/connectors/smpp/link-health.ts'
import type { SessionEnd } from '../../src/connectors/smpp/session/session-events.ts'

const well: PhoneFacts = {
  isStopped: false,
  isStreaming: true,
  silentMs: 0,
  lostMs: null,
  usesPush: false,
  lastSeenAt: 0,
  appVersion: '1.68.0',
  battery: null,
  network: null,
  sims: [{ slot: 1, number: null, carrier: null }],
  hooks: null,
  clockOffsetMs: 0,
  failsRepeatedly: false,
  nowMs: 0,
}
const hourMs = 3_600_000

test.each<[string, Partial<PhoneFacts>]>([
  ['push_only', { isStreaming: false, usesPush: true }],
  ['contact_late', { isStreaming: false, silentMs: hourMs }],
  ['stream_lost', { isStreaming: false, silentMs: hourMs, lostMs: hourMs }],
  ['no_contact', { isStreaming: false, silentMs: 3 * hourMs }],
  ['no_sim', { sims: [] }],
  ['repeated_failures', { failsRepeatedly: true }],
  ['receives_nothing', { hooks: 'receives_nothing' }],
  ['hook_address_differs', { hooks: 'hook_address_differs' }],
  ['hooks_silent', { hooks: 'hooks_silent' }],
  ['certificate_ending', { certificateUntilMs: 29 * 86_400_000 }],
  ['battery_low', { battery: { percent: 3, charging: false, at: 0 } }],
  ['clock_skew', { clockOffsetMs: 2 * hourMs }],
  ['app_outdated', { appVersion: '1.50.0' }],
])('a phone that says %s has a remedy', (reason, facts) => {
  const { reasons } = healthOf({ ...well, ...facts }, readSettings({}))
  expect(reasons).toContain(reason)
  expect(reasons.filter((said) => !explainedReasons('android').includes(said))).toEqual([])
  expect(remediesOf('android', [reason])).toEqual([expect.stringMatching(new RegExp(`^${reason}: .{20}`))])
})

/** A link none of whose sessions was wrong. */
const bound: BindingState = { kind: 'bound', sinceMs: 0, lastEnd: null }
type LinkFacts = Parameters<typeof linkHealthOf>[0]
const linkFacts = (state: BindingState, more: Partial<LinkFacts> = {}): LinkFacts => ({
  states: [{ role: 'transceiver', state }],
  isStopped: false,
  isThrottled: false,
  nowMs: 0,
  lastSeenAt: null,
  ...more,
})
const after = (lastEnd: SessionEnd): LinkFacts => linkFacts({ kind: 'waiting', untilMs: 1, lastEnd })

/** What makes a link say each: the compiler refuses a list that lacks one. */
const linkReasons: Record<LinkReason, LinkFacts> = {
  connect_failed: after({ kind: 'connect_failed', detail: 'ECONNREFUSED' }),
  peer_closed: after({ kind: 'peer_closed', detail: '' }),
  connection_lost: after({ kind: 'connection_lost', detail: '' }),
  framing_lost: after({ kind: 'framing_lost', detail: '' }),
  write_stalled: after({ kind: 'write_stalled', detail: '' }),
  frame_stalled: after({ kind: 'frame_stalled', detail: '' }),
  bind_refused: after({ kind: 'bind_refused', status: 0x0e, detail: '' }),
  bind_timeout: after({ kind: 'bind_timeout', detail: '' }),
  no_enquire_link_answer: after({ kind: 'no_enquire_link_answer', detail: '' }),
  invalid_settings: after({ kind: 'invalid_settings', detail: '' }),
  unbound: after({ kind: 'unbound', detail: '' }),
  inactive: after({ kind: 'inactive', detail: '' }),
  aborted: after({ kind: 'aborted', detail: '' }),
  peer_unbound: after({ kind: 'peer_unbound', detail: '' }),
  bind_postponed: linkFacts({ kind: 'waiting', untilMs: 1, lastEnd: null }),
  connecting: linkFacts({ kind: 'connecting', lastEnd: null }),
  throttled: linkFacts(bound, { isThrottled: true }),
  receives_only: linkFacts(bound, { states: [{ role: 'receiver', state: bound }] }),
}

/** A link is on its way, or left by itself and comes back by itself: there is nothing to do. */
const passing: readonly string[] = ['connecting', 'unbound', 'inactive', 'aborted']

test.each(Object.entries(linkReasons))('a link that says %s has a remedy, or needs none', (reason, facts) => {
  expect(linkHealthOf(facts).reasons).toEqual([reason])
  expect(remediesOf('smpp', [reason])).toEqual(
    passing.includes(reason) ? [] : [expect.stringMatching(new RegExp(`^${reason}: .{20}`))],
  )
})

test('the test of a device names itself in no remedy; everybody else names it where it says more', () => {
  for (const kind of connectorKinds) {
    const named = explainedReasons(kind).filter((reason) =>
      /device test/.test(remediesOf(kind, [reason], { byTest: true }).join()),
    )
    expect(named, kind).toEqual([])
  }
  expect(remediesOf('smpp', ['connect_failed'])[0]).toContain('onesixty device test shows what failed.')
})

test('the page about links has a row for every reason of theirs that has a remedy', async () => {
  const page = await readFile(new URL('../../docs/connectors/smpp.md', import.meta.url), 'utf8')
  const [, rows = ''] = page.split('## When something is wrong')
  const explained = explainedReasons('smpp').filter((reason) => Object.hasOwn(linkReasons, reason))
  expect(
    explained.filter((reason) => !new RegExp(`^\\| [^|]*\`${reason}\`[^|]* \\|`, 'm').test(rows)),
  ).toEqual([])
})

test('a reason that nobody explains has none, whatever it is called', () => {
  expect(remediesOf('smpp', ['to_be_invented', 'constructor'])).toEqual([])
})

test('the page about phones has a row for every reason that a phone gives', async () => {
  const page = await readFile(new URL('../../docs/connectors/android.md', import.meta.url), 'utf8')
  const missing = explainedReasons('android').filter(
    (reason) => reason !== 'repeated_unknown' && !new RegExp(`^\\| .*\`${reason}\`.* \\|`, 'm').test(page),
  )
  expect(missing).toEqual([])
})

test('the page about modems has a row for every reason that a modem gives', async () => {
  const page = await readFile(new URL('../../docs/connectors/modem.md', import.meta.url), 'utf8')
  const [, rows = ''] = page.split('## When something is wrong')
  const general = explainedReasons('simulator')
  const missing = explainedReasons('modem').filter(
    (reason) => !general.includes(reason) && !new RegExp(`^\\| .*\`${reason}\`.* \\|`, 'm').test(rows),
  )
  expect(missing).toEqual([])
})
