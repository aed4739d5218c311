import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseDevice, mayFetch } from '../../src/dispatch/routes/choose-device.ts'
import { planClaims } from '../../src/dispatch/routes/plan-claims.ts'
import { routeFrom } from '../../src/dispatch/routes/route-ring.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { device, route } from './candidates.ts'

test('an own device comes before a shared one, even while it has no room', () => {
  const shared = device('shared')
  expect(chooseDevice(route('a'), [shared, device('own', { accountId: 'a', load: 0.9 })])).toMatchObject({
    id: 'own',
  })
  expect(chooseDevice(route('a'), [shared, device('own', { accountId: 'a', free: 0 })])).toBe('busy')
})

test('what an own device of another node works for is for no shared one here, and holds no turn', () => {
  const [there, shared] = [
    device('own', { accountId: 'a', free: 0, isElsewhere: true }),
    device('shared', { fetches: true }),
  ]
  expect(planClaims([route('a')], () => [there, shared])).toEqual({ requests: [], calls: [], busy: [] })
  expect(mayFetch(shared, route('a'), [there])).toBe(false)
  const here = device('here', { accountId: 'a', free: 0 })
  expect(chooseDevice(route('a'), [there, here, shared])).toBe('busy')
  expect(chooseDevice(route('b'), [there, shared])).toBe(shared)
})

test('a shared device carries what no working own device can', () => {
  const offline = device('own', { accountId: 'a', health: 'offline' })
  expect(chooseDevice(route('a'), [offline, device('shared')])).toMatchObject({ id: 'shared' })
})

test("nobody uses another account's device, or one of the other mode", () => {
  expect(chooseDevice(route('a'), [device('b', { accountId: 'b' })])).toBe('none')
  expect(chooseDevice(route('a'), [device('test', { mode: 'test' })])).toBe('none')
})

test('a sender needs a device that may use it', () => {
  const plain = device('plain')
  expect(chooseDevice(route('a', 'ACME'), [plain])).toBe('none')
  expect(
    chooseDevice(route('a', 'ACME'), [plain, device('named', { senders: new Set(['ACME']) })]),
  ).toMatchObject({ id: 'named' })
  expect(chooseDevice(route('a', 'ACME'), [device('any', { senders: new Set(['*']) })])).toMatchObject({
    id: 'any',
  })
})

test('a device that sends under its own numbers carries neither names nor short codes nor numbers that are not its own, whatever its senders say', () => {
  const senders = new Set(['*', 'ACME', '12345', '+4915112345678'])
  const phone = device('phone', { senders, alphanumericSender: false, fetches: true })
  for (const sender of ['ACME', '12345', '__proto__', '+4915199999999'])
    expect(mayFetch(phone, route('a', sender), [phone]), sender).toBe(false)
  for (const sender of [null, '+4915112345678'])
    expect(mayFetch(phone, route('a', sender), [phone]), `${sender}`).toBe(true)
})

test('the healthy come before the degraded, then the least loaded', () => {
  const devices = [
    device('tired', { health: 'degraded' }),
    device('busy', { load: 0.8 }),
    device('idle', { load: 0.1 }),
  ]
  expect(chooseDevice(route('a'), devices)).toMatchObject({ id: 'idle' })
})

test('of two that are alike the first one goes on', () => {
  const alike = ['first', 'second'].map((id) => device(id, { load: 0.5 }))
  expect(chooseDevice(route('a'), alike)).toMatchObject({ id: 'first' })
})

test('no plan gives a device more than its room, nor a route more than one device', () => {
  const candidates = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 0, max: 9 }), free: fc.integer({ min: 0, max: 50 }) }),
    {
      selector: ({ id }) => id,
    },
  )
  const accounts = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 60 })
  fc.assert(
    fc.property(candidates, accounts, (rooms, names) => {
      const devices = rooms.map(({ id, free }) => device(`d${id}`, { free }))
      const routes = names.map((name) => route(`a${name}`))
      const { requests, busy } = planClaims(routes, () => devices)
      for (const { id, free } of devices) {
        const given = requests
          .filter((request) => request.deviceId === id)
          .reduce((sum, request) => sum + request.quota, 0)
        expect(given).toBeLessThanOrEqual(free)
      }
      expect(requests.every((request) => request.quota > 0)).toBe(true)
      expect(requests.length + busy.length).toBe(devices.length === 0 ? 0 : routes.length)
    }),
  )
})

test('what must go as UCS-2 is for devices that are told the encoding, also before an own one that is not', () => {
  const forced = { ...route('a'), routeKey: 'live+ucs2:', encodingForced: true }
  const phone = device('phone', { accountId: 'a', choosesEncoding: false, fetches: true })
  const link = device('link', { load: 0.9 })
  expect(chooseDevice(forced, [phone, link])).toBe(link)
  expect(chooseDevice(forced, [phone])).toBe('none')
  expect(mayFetch(phone, forced, [phone, link])).toBe(false)
  expect(chooseDevice(route('a'), [phone, link])).toBe(phone)
})

test('what costs nothing is carried by own devices alone, and by no simulator', () => {
  const free = { ...route('a'), routeKey: 'live+own:', isOwnOnly: true as const }
  const isOwnCarrier = true as const
  const own = device('own', { accountId: 'a', isOwnCarrier })
  const simulator = device('simulator', { accountId: 'a' })
  const shared = device('shared')
  const phone = device('phone', { fetches: true })
  expect(chooseDevice(free, [simulator, own, shared])).toBe(own)
  expect(chooseDevice(free, [simulator, shared])).toBe('none')
  expect(chooseDevice(free, [device('busy', { accountId: 'a', isOwnCarrier, free: 0 }), shared])).toBe('busy')
  expect(mayFetch(phone, free, [phone])).toBe(false)
  expect(chooseDevice(route('a'), [shared])).toBe(shared)
})

test('the key of a route says all that its devices must be able to', () => {
  for (const sender of [null, 'Shop', '+4915112345678', 'a:b+ucs2:']) {
    for (const encodingForced of [false, true])
      for (const paidBy of ['balance', 'own_device'] as const)
        for (const avoids of [null, 'dev_01m7yq1we0']) {
          const key = routeKeyOf({ mode: 'live', sender, encodingForced, paidBy, avoids })
          const found = routeFrom({ account_id: 'a', mode: 'live', route_key: key })
          expect(found).toMatchObject({ sender, encodingForced, avoids })
          expect(found.isOwnOnly === true).toBe(paidBy === 'own_device')
        }
  }
})

test('everybody gets a turn before anybody gets two', () => {
  const { requests } = planClaims(
    ['a', 'b', 'c'].map((name) => route(name)),
    () => [device('d', { free: 7 })],
  )
  expect(requests.map((request) => request.quota).toSorted((a, b) => a - b)).toEqual([2, 2, 3])
})

test('what devices fetch is called for, and claimed by nobody before they ask', () => {
  const phone = device('phone', { fetches: true })
  const routes = [route('a'), route('b')]
  expect(planClaims(routes, () => [phone])).toEqual({ requests: [], calls: routes, busy: [] })
})

test('devices that join fewer parts than others get what they join, and the others what is longer', () => {
  const devices = [device('short', { maxParts: 3 }), device('long', { load: 0.9 })]
  const { requests } = planClaims([route('a')], () => devices)
  expect(requests).toMatchObject([
    { deviceId: 'short', quota: 10, partsOver: 0, partsUpTo: 3 },
    { deviceId: 'long', quota: 10, partsOver: 3, partsUpTo: 10 },
  ])
})

test('of a route no number of parts is wanted twice, and of none more than its device joins', () => {
  const candidates = fc.array(
    fc.record({ maxParts: fc.integer({ min: 1, max: 10 }), free: fc.integer({ min: 0, max: 9 }) }),
  )
  fc.assert(
    fc.property(candidates, (facts) => {
      const devices = facts.map((each, i) => device(`d${i}`, each))
      const { requests } = planClaims([route('a')], () => devices)
      const sizes = requests.flatMap(({ partsOver, partsUpTo, deviceId }) =>
        Array.from({ length: partsUpTo - partsOver }, (_, i) => ({ parts: partsOver + 1 + i, deviceId })),
      )
      expect(new Set(sizes.map(({ parts }) => parts)).size).toBe(sizes.length)
      for (const { parts, deviceId } of sizes)
        expect(devices.find(({ id }) => id === deviceId)?.maxParts).toBeGreaterThanOrEqual(parts)
    }),
  )
})

test('what is claimed says in which group its device is, so that receipts over the others of it are found', () => {
  const { requests } = planClaims([route('a')], () => [device('d', { groupId: 'grp_a' })])
  expect(requests).toMatchObject([{ deviceId: 'd', groupId: 'grp_a' }])
})
