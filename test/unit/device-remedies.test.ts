import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { explainedReasons, remediesOf } from '../../src/devices/device-remedies.ts'
import { healthOf, type PhoneFacts } from '../../src/connectors/android/phone-health.ts'
import { readSettings } from '../../src/connectors/android/settings.ts'

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
  ['battery_low', { battery: { percent: 3, charging: false, at: 0 } }],
  ['clock_skew', { clockOffsetMs: 2 * hourMs }],
  ['app_outdated', { appVersion: '1.50.0' }],
])('a phone that says %s has a remedy', (reason, facts) => {
  const { reasons } = healthOf({ ...well, ...facts }, readSettings({}))
  expect(reasons).toContain(reason)
  expect(reasons.filter((said) => !explainedReasons.includes(said))).toEqual([])
  expect(remediesOf([reason])).toEqual([expect.stringMatching(new RegExp(`^${reason}: .{20}`))])
})

test('a reason that nobody explains has none, whatever it is called', () => {
  expect(remediesOf(['to_be_invented', 'constructor'])).toEqual([])
})

test('the page about phones has a row for every reason that a phone gives', async () => {
  const page = await readFile(new URL('../../docs/connectors/android.md', import.meta.url), 'utf8')
  const ofLinks = ['repeated_unknown']
  const missing = explainedReasons.filter(
    (reason) => !ofLinks.includes(reason) && !new RegExp(`^\\| .*\`${reason}\`.* \\|`, 'm').test(page),
  )
  expect(missing).toEqual([])
})
