import { expect, test } from 'vitest'
import { classifyError } from '../../src/connectors/modem/submit/error-class.ts'
import { meaningOf } from '../../src/connectors/modem/receive/report-status.ts'

const cms = (
  code: number | null,
  overrides = new Map<number, 'good' | 'now' | 'busy' | 'unknown'>(),
): string => {
  const meant = classifyError({ source: 'cms', code }, overrides)
  if (meant.kind === 'unknown') return 'unknown'
  const { lasts, code: ours, recipientAlone, mayBeRecipient, deviceAlone } = meant.reason
  const whose = recipientAlone ? ' recipient' : mayBeRecipient ? ' anyone' : deviceAlone ? ' device' : ''
  return `${lasts} ${ours}${whose}${meant.fault === null ? '' : ` ${meant.fault}`}`
}

/** 3GPP TS 24.011, annex E, TS 23.040, section 9.2.3.22, and TS 27.005, section 3.2.5, by what our dispatcher is to do. */
test('23: each code has its class, and one that is in no table is unknown', () => {
  const table: Readonly<Record<string, readonly number[]>> = {
    'good number_invalid': [1, 28, 30, 195],
    'good recipient_blocked': [196],
    'now sim_blocked device sim_blocked': [8, 10, 50, 193],
    'now network_rejected anyone rejected': [21, 29, 127, 143, 159, 175, 255],
    'now unreachable recipient': [27],
    'now network_congested': [38, 41, 194],
    'busy network_congested': [42, 47, 192],
    'busy device_error device storage_full': [22, 208, 320, 322],
    'busy device_error device sim_busy': [314],
    'good device_error': [304, 305],
    'now device_error': [81, 95, 96, 97, 98, 99, 111, 128, 144, 145, 160, 176, 300, 301, 302, 303, 321],
    'now device_error device no_sim': [310, 313, 315],
    'now device_error device sim_pin': [311, 317],
    'now device_error device sim_puk': [312, 316, 318],
    'now device_error device no_smsc': [69, 330],
    'now no_service device not_registered': [331],
  }
  const expected = new Map(
    Object.entries(table).flatMap(([meant, codes]) => codes.map((code) => [code, meant])),
  )
  for (let code = 0; code < 1_024; code++)
    expect(`${code} ${cms(code)}`).toBe(`${code} ${expected.get(code) ?? 'unknown'}`)
  expect(cms(null)).toBe('unknown')
})

test('23: the equipment names two of them, and a bare ERROR none', () => {
  for (const code of [30, 32])
    expect(classifyError({ source: 'cme', code }, new Map())).toMatchObject({
      reason: { code: 'no_service' },
    })
  for (const code of [0, 8, 10, 21, 100, 515])
    expect(classifyError({ source: 'cme', code }, new Map()).kind).toBe('unknown')
  expect(classifyError({ source: 'plain', code: null }, new Map()).kind).toBe('unknown')
})

test('23: the operator may know more', () => {
  const overrides = new Map([
    [500, 'now'],
    [21, 'good'],
    [1, 'unknown'],
  ] as const)
  expect([500, 21, 1, 27].map((code) => cms(code, new Map(overrides)))).toEqual([
    'now network_rejected',
    'good network_rejected anyone rejected',
    'unknown',
    'now unreachable recipient',
  ])
})

/** 3GPP TS 23.040, section 9.2.3.15. */
test('26: only one status says that a part arrived', () => {
  const said = Array.from({ length: 256 }, (_, status) => meaningOf(status))
  expect(said.flatMap((meant, status) => (meant?.result === 'delivered' ? [status] : []))).toEqual([0])
  expect(said.flatMap((meant, status) => (meant === null ? [status] : []))).toEqual(
    Array.from({ length: 32 }, (_, i) => 0x20 + i),
  )
  const codes = [0x40, 0x42, 0x43, 0x46, 0x60, 0x61, 0x62, 0x63, 0x65, 0x7f, 0x03, 0x80, 0xff].map(
    (status) => said[status]?.code,
  )
  expect(codes).toEqual([
    'network_rejected', 'recipient_blocked', 'unreachable', 'expired_in_network', 'network_congested', 'unreachable',
    'unreachable', 'recipient_blocked', 'unreachable', 'network_rejected', 'recipient_blocked', 'recipient_blocked',
    'recipient_blocked',
  ]) // prettier-ignore
  expect([0x01, 0x02, 0x10, 0x1f].map((status) => said[status]?.result)).toEqual([
    'lost',
    'lost',
    'lost',
    'lost',
  ])
})
