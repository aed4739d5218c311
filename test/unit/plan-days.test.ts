import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dateOf, dayIn, isZone, monthOf } from '../../src/devices/plans/plan-days.ts'
import { planView, type UsedDay } from '../../src/devices/plans/plan-view.ts'
import { roomOfSims, type SimPlan } from '../../src/devices/plans/sim-plan.ts'
import { zoneOfNumber } from '../../src/devices/plans/zone-of-number.ts'
import { chooseDevice, fetchesOf, mayFetch } from '../../src/dispatch/routes/choose-device.ts'
import { explainRoute } from '../../src/dispatch/routes/explain-route.ts'
import { planClaims } from '../../src/dispatch/routes/plan-claims.ts'
import { usualNow, type WayNow } from '../../src/dispatch/routes/walk-way.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { device, route } from './candidates.ts'

const at = (text: string): number => Date.parse(text)
const dayOf = (date: string): number => at(`${date}T00:00:00Z`) / 86_400_000

test('a day is that of the zone of the SIM, also where its clocks change', () => {
  expect(dateOf(dayIn('Europe/Berlin', at('2026-10-24T22:30:00Z')))).toBe('2026-10-25')
  expect(dateOf(dayIn('Europe/Berlin', at('2026-10-25T22:30:00Z')))).toBe('2026-10-25')
  expect(dateOf(dayIn('Pacific/Kiritimati', at('2026-12-31T10:30:00Z')))).toBe('2027-01-01')
  expect(dateOf(dayIn('America/Los_Angeles', at('2027-01-01T07:59:00Z')))).toBe('2026-12-31')
  expect([isZone('Europe/Berlin'), isZone('Europe/Bonn'), isZone('')]).toEqual([true, false, false])
})

test('a month of a contract has each day once, and begins on its day or on the last one of a shorter month', () => {
  const of = (date: string, starts: number) => {
    const { from, until } = monthOf(dayOf(date), starts)
    return [dateOf(from), dateOf(until)]
  }
  expect(of('2026-11-28', 12)).toEqual(['2026-11-12', '2026-12-12'])
  expect(of('2027-01-11', 12)).toEqual(['2026-12-12', '2027-01-12'])
  expect(of('2027-02-28', 31)).toEqual(['2027-02-28', '2027-03-31'])
  expect(of('2027-02-27', 31)).toEqual(['2027-01-31', '2027-02-28'])
  fc.assert(
    fc.property(fc.integer({ min: 20_000, max: 40_000 }), fc.integer({ min: 1, max: 31 }), (day, starts) => {
      const { from, until } = monthOf(day, starts)
      expect(from <= day && day < until && until - from >= 28 && until - from <= 31).toBe(true)
      expect(monthOf(from, starts)).toEqual({ from, until })
      expect(monthOf(until, starts).from).toBe(until)
    }),
  )
})

test('the zone of a SIM is that of the country of its number, where its clocks agree', () => {
  expect(zoneOfNumber('+4915112345678', at('2026-11-28T00:00:00Z'))).toBe('Europe/Berlin')
  expect(zoneOfNumber('+12025550123', at('2026-11-28T00:00:00Z'))).toBeNull()
  expect(zoneOfNumber('Acme', 0)).toBeNull()
})

const plan: SimPlan = {
  deviceId: 'dev_a',
  sim: 1,
  partsPerDay: null,
  partsPerMonth: 100,
  numbersPerMonth: null,
  monthStarts: 1,
  zone: 'UTC',
}
const viewOf = (more: Partial<SimPlan>, days: Readonly<Record<string, number>>, now = '2026-11-20T12:00:00Z') =>
  planView({ ...plan, ...more }, Object.entries(days).map(([date, parts]): UsedDay => ({ day: dayOf(date), parts, numbers: parts })), at(now)) // prettier-ignore

test('a limit is reached when what is left has been used at the mean of the last seven whole days', () => {
  const days = { '2026-11-13': 7, '2026-11-19': 28 }
  // 35 in seven days; 65 are left.
  expect(viewOf({}, days)).toMatchObject({ partsThisMonth: 35, reachedOn: null, monthFrom: '2026-11-01', monthUntil: '2026-11-30' })
  expect(viewOf({ partsPerMonth: 60 }, days).reachedOn).toBe('2026-11-25')
  expect(viewOf({ partsPerMonth: null, numbersPerMonth: 60 }, days).reachedOn).toBe('2026-11-25')
  expect(viewOf({ partsPerMonth: 35 }, days).reachedOn).toBe('2026-11-20')
  expect(viewOf({ partsPerDay: 10 }, { ...days, '2026-11-20': 10 })).toMatchObject({ partsToday: 10, reachedOn: '2026-11-20' })
}) // prettier-ignore

test('the mean begins with the first day that was counted, and is unknown on that day', () => {
  expect(viewOf({}, { '2026-11-20': 90 }).reachedOn).toBeNull()
  expect(viewOf({}, { '2026-11-19': 50 }).reachedOn).toBe('2026-11-21')
  // What was used before the month began counts for the mean alone.
  expect(viewOf({ monthStarts: 20 }, { '2026-11-19': 50 })).toMatchObject({
    partsThisMonth: 0,
    reachedOn: '2026-11-22',
  })
})

test('the best SIM says whom a device may send to, and where the device chooses, all of its plans', () => {
  const rooms = [[0, 0], [0, 9], [3, 3]].map(([any = 0, known = 0], i) => ({ sim: i + 1, room: { any, known } }))
  const of = (...sims: (number | null)[]) => Object.values(roomOfSims(rooms, sims, ({ room }) => room))
  expect([of(1), of(2), of(3), of(1, 2), of(2, 3), of(4), of(null)]).toEqual([
    [0, 0], [0, 9], [3, 3], [0, 9], [3, 9], [Infinity, Infinity], [0, 0],
  ])
}) // prettier-ignore

test('a message of more parts than the SIM plan still includes goes over another device, and to a shared one only by a rule', () => {
  const own = (id: string, more: object) => device(id, { accountId: 'a', load: 0.9, ...more })
  const [last, idle] = [own('dev_last', { load: 0, planRoom: { any: 1, known: 1 } }), own('dev_idle', {})]
  const way = (text: string): WayNow => ({ way: { stages: readWay(text) }, nowMs: 0, offSinceMs: () => null })
  const claims = (devices: (typeof last)[], now: WayNow = usualNow) =>
    planClaims([route('a')], () => devices, () => now).requests.map(({ deviceId, partsOver, partsUpTo }) => [deviceId, partsOver, partsUpTo])
  expect(claims([last, idle])).toEqual([['dev_last', 0, 1], ['dev_idle', 1, 10]])
  expect(claims([last, device('net')])).toEqual([['dev_last', 0, 1]])
  expect(claims([last, device('net')], way('own; shared busy'))).toEqual([['dev_last', 0, 1], ['net', 1, 10]])
  // One that has more parts for numbers of this month looks for these.
  expect(claims([{ ...last, planRoom: { any: 1, known: 5 } }, idle])).toEqual([['dev_last', 1, 5], ['dev_last', 0, 1], ['dev_idle', 1, 5], ['dev_idle', 5, 10]])
  const fetched = (asking: typeof last, now?: WayNow) => fetchesOf(asking, route('a'), [last, idle], now).map(({ partsOver, partsUpTo }) => [partsOver, partsUpTo])
  expect([fetched(last), fetched(idle)]).toEqual([[[0, 1]], [[0, 10]]])
  const listed = way('dev_last,dev_idle by=listed')
  expect([fetched(last, listed), fetched(idle, listed)]).toEqual([[[0, 1]], [[1, 10]]])
}) // prettier-ignore

test('a device at its limit of numbers looks first, and the others are given the rest in the same round', () => {
  const [full, other] = [device('full', { isForKnown: true, load: 0.9 }), device('other')]
  const claims = (...devices: (typeof full)[]) => {
    const { requests, busy } = planClaims([route('b'), route('a')], ({ accountId }) =>
      accountId === 'a' ? devices : [other],
    )
    return [
      requests.map(({ accountId, deviceId }) => `${accountId} ${deviceId}`),
      busy.map(({ accountId }) => accountId),
    ]
  }
  expect(claims(other, full)).toEqual([['a full', 'b other', 'a other'], []])
  expect(claims(full)).toEqual([['a full', 'b other'], ['a']])
  expect(claims(other, { ...full, free: 0 })).toEqual([['b other', 'a other'], []])
  expect(claims(other, { ...full, isDoubted: true })).toEqual([['b other', 'a other'], []])
  expect(chooseDevice(route('a'), [full])).toBe('busy')
})

test('an own device at its limit of numbers leaves nothing to shared ones, and opens the stage of a way that opens when it is busy', () => {
  const [own, shared] = [device('own', { accountId: 'a', isForKnown: true }), device('net')]
  const on = (text: string): WayNow => ({ way: { stages: readWay(text) }, nowMs: 0, offSinceMs: () => null })
  const claims = (now?: WayNow) =>
    planClaims([route('a')], () => [own, shared], now && (() => now)).requests.map(
      ({ deviceId, waitedMs = 0, why = 'first' }) => [deviceId, waitedMs, why],
    )
  expect(claims()).toEqual([['own', 0, 'first']])
  expect(claims(on('own; shared'))).toEqual([['own', 0, 'first']])
  expect(claims(on('own; shared busy'))).toEqual([['own', 0, 'first'], ['net', 0, 'busy_before']])
  expect(claims(on('own; shared after=1m'))).toEqual([['own', 0, 'first'], ['net', 60_000, 'waited']])
  // As a later stage it looks among what has waited for it.
  const before = device('before', { free: 0, groupId: 'grp_x' })
  const later = planClaims([route('a')], () => [own, before], () => on('grp_x; own after=1m')).requests
  expect(later).toMatchObject([{ deviceId: 'own', waitedMs: 60_000 }])
}) // prettier-ignore

test('a phone at its limit of numbers is called only where no other device has room, and fetches what it may have', () => {
  const [full, other] = [
    device('full', { isForKnown: true, fetches: true }),
    device('other', { fetches: true }),
  ]
  const calls = (...devices: (typeof full)[]) => planClaims([route('a')], () => devices).calls.length
  expect([calls(full), calls(full, { ...other, free: 0 }), calls({ ...full, free: 0 })]).toEqual([1, 1, 0])
  expect(calls(full, { ...other, fetches: false })).toBe(0)
  expect(chooseDevice(route('a'), [full, other])).toBe(other)
  expect(mayFetch({ ...full, accountId: 'a' }, route('a'), [other])).toBe(true)
})

test('an explanation says of which device the SIM plan is reached', () => {
  const own = (more: object) => device('own', { accountId: 'a', ...more })
  const verdict = (one: ReturnType<typeof own>, isPlanned: boolean) =>
    explainRoute({ route: route('a'), parts: 1, now: usualNow, devices: [one], more: () => ({ isPlanned, isPaced: true }) }).flatMap(
      ({ devices }) => devices.map((each) => each.verdict),
    )[0]
  expect(verdict(own({ isForKnown: true }), true)).toBe('plan_reached')
  expect(verdict(own({ free: 0 }), true)).toBe('plan_reached')
  expect(verdict(own({ free: 0 }), false)).toBe('at_pace')
  expect(verdict(own({}), true)).toBe('next')
  expect(verdict(own({ free: 0, planRoom: { any: 0, known: 0 } }), false)).toBe('plan_reached')
}) // prettier-ignore
