import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

/** The faults of an environment, one a line. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n')
  }
}

test('without anything set every setting has its default, and an empty value counts as not set', () => {
  expect(readConfig({ ONESIXTY_PORT: '', PATH: '/bin' })).toEqual(readConfig({}))
  expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8160, dataFolder: resolve('data') })
})

test('all faults are named at once, and no secret with its value', () => {
  expect(
    faultsOf({
      ONESIXTY_PORT: '70000',
      ONESIXTY_SECRET: 'hunter2',
      ONESIXTY_LOG_LEVEL: 'loud',
      ONESIXTY_PROT: '1',
    }),
  ).toEqual([
    "ONESIXTY_PORT needs a whole number from 0 to 65535; it is '70000'.",
    'ONESIXTY_SECRET needs at least 32 characters.',
    "ONESIXTY_LOG_LEVEL needs one of trace, debug, info, warn, error, silent; it is 'loud'.",
    'ONESIXTY_PROT is not a setting of onesixty.',
  ])
})

test('records outlive the receipts that may still come, and the answers that are given again', () => {
  const days = (records: number, more: Record<string, string> = {}) =>
    faultsOf({ ONESIXTY_RECORD_RETENTION_DAYS: String(records), ...more })
  expect(days(10)).toEqual([expect.stringContaining('ONESIXTY_RECORD_RETENTION_DAYS must be more than 10')])
  expect(days(11)).toEqual([])
  expect(days(11, { ONESIXTY_IDEMPOTENCY_DAYS: '11' })).toEqual([])
  expect(days(11, { ONESIXTY_IDEMPOTENCY_DAYS: '12' })).toEqual([
    expect.stringContaining('ONESIXTY_IDEMPOTENCY_DAYS must not be more than ONESIXTY_RECORD_RETENTION_DAYS'),
  ])
})

test('a certificate needs its key', () => {
  const together = ['ONESIXTY_TLS_CERT and ONESIXTY_TLS_KEY must be set together.']
  expect(faultsOf({ ONESIXTY_TLS_CERT: 'c' })).toEqual(together)
  expect(faultsOf({ ONESIXTY_TLS_KEY: 'k' })).toEqual(together)
  expect(faultsOf({ ONESIXTY_TLS_CERT: 'c', ONESIXTY_TLS_KEY: 'k' })).toEqual([])
})

test.each([
  [{ ONESIXTY_EXPORTS_AT_ONCE: '1', ONESIXTY_EXPORTS_PER_ACCOUNT: '1' }, true],
  [{ ONESIXTY_EXPORTS_AT_ONCE: '2', ONESIXTY_EXPORTS_PER_ACCOUNT: '1' }, true],
  [{ ONESIXTY_EXPORTS_AT_ONCE: '3' }, true],
  [{ ONESIXTY_EXPORTS_AT_ONCE: '2' }, false],
  [{ ONESIXTY_EXPORTS_AT_ONCE: '1' }, false],
  [{ ONESIXTY_EXPORTS_PER_ACCOUNT: '4' }, false],
])('one account has fewer exports than there are, but where there is one: %o', (env, isTaken) => {
  expect(faultsOf(env)).toEqual(
    isTaken
      ? []
      : [expect.stringMatching(/^ONESIXTY_EXPORTS_PER_ACCOUNT .* less than ONESIXTY_EXPORTS_AT_ONCE/)],
  )
})

test('the public address is an origin of the web', () => {
  expect(readConfig({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org/path/' }).publicUrl).toBe(
    'https://sms.example.org',
  )
  for (const text of ['sms.example.org', 'sms.example.org:80', 'ftp://x', '//x'])
    expect(faultsOf({ ONESIXTY_PUBLIC_URL: text })).toEqual([
      `ONESIXTY_PUBLIC_URL needs an http or https address such as https://sms.example.org; it is '${text}'.`,
    ])
})
