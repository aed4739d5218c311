import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  instantOf,
  instantsOf,
  noTime,
  offsetAt,
  offsetName,
  pickedOf,
} from '../../console/src/ui/local-time.ts'

const zones = [
  'UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe',
  'Pacific/Auckland', 'Pacific/Apia', 'Africa/Casablanca', 'America/Santiago', 'Asia/Tehran',
] // prettier-ignore
const hourMs = 3_600_000
const iso = (instants: readonly number[]): string[] => instants.map((atMs) => new Date(atMs).toISOString())

test('a time of day is one instant, in summer and in winter', () => {
  expect(iso(instantsOf('2026-07-01T09:00', 'Europe/Berlin'))).toEqual(['2026-07-01T07:00:00.000Z'])
  expect(iso(instantsOf('2026-12-01T09:00', 'Europe/Berlin'))).toEqual(['2026-12-01T08:00:00.000Z'])
  expect(iso(instantsOf('2026-12-01T09:00', 'Asia/Kathmandu'))).toEqual(['2026-12-01T03:15:00.000Z'])
})

test('a time that the clocks jump over is no instant', () => {
  expect(instantsOf('2027-03-28T02:00', 'Europe/Berlin')).toEqual([])
  expect(instantsOf('2027-03-28T02:59', 'Europe/Berlin')).toEqual([])
  expect(iso(instantsOf('2027-03-28T03:00', 'Europe/Berlin'))).toEqual(['2027-03-28T01:00:00.000Z'])
  expect(instantOf({ local: '2027-03-28T02:30', isSecond: false }, 'Europe/Berlin')).toBe(null)
})

test('in an hour that comes twice, either can be meant', () => {
  const local = '2026-10-25T02:30'
  expect(iso(instantsOf(local, 'Europe/Berlin'))).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ])
  const first = instantOf({ local, isSecond: false }, 'Europe/Berlin') as number
  expect(instantOf({ local, isSecond: true }, 'Europe/Berlin')).toBe(first + hourMs)
  // An island whose clocks move by half an hour.
  expect(instantsOf('2027-04-04T01:45', 'Australia/Lord_Howe')).toHaveLength(2)
})

test('nothing that is no time is an instant', () => {
  for (const local of ['', 'tomorrow', '2026-13-01T00:00']) expect(instantsOf(local, 'UTC')).toEqual([])
  expect(instantOf(noTime, 'UTC')).toBe(null)
})

test('every minute of every zone is picked and found again', () => {
  const begin = Date.parse('2024-01-01T00:00:00Z') / 60_000
  const minutes = fc.integer({ min: begin, max: begin + 5 * 365 * 24 * 60 })
  fc.assert(
    fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
      expect(instantOf(pickedOf(minute * 60_000, zone), zone)).toBe(minute * 60_000)
    }),
    { numRuns: 2_000 },
  )
})

test('an offset is named as people write it', () => {
  const at = Date.parse('2026-12-01T00:00:00Z')
  expect(
    ['Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'UTC'].map((zone) =>
      offsetName(offsetAt(at, zone)),
    ),
  ).toEqual(['UTC+1', 'UTC−3:30', 'UTC+5:45', 'UTC+0'])
})
