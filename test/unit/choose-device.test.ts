import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Candidate,
  chooseDevice,
  isForAnother,
  mayFetch,
  planClaims,
  type Route,
} from '../../src/dispatch/choose-device.ts'
import { routeFrom } from '../../src/dispatch/route-ring.ts'
import { routeKeyOf } from '../../src/messages/message-store.ts'

const route = (accountId: string, sender: string | null = null): Route => ({
  accountId,
  mode: 'live',
  routeKey: `live:${sender ?? ''}`,
  sender,
  encodingForced: false,
  avoids: null,
})
const device = (id: string, facts: Partial<Candidate> = {}): Candidate => ({
  id,
  accountId: null,
  mode: 'live',
  fetches: false,
  alphanumericSender: true,
  choosesEncoding: true,
  maxParts: 10,
  health: 'online',
  senders: new Set(),
  free: 10,
  load: 0,
  ...facts,
})

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
  expect(planClaims([route('a')], () => [there, shared])).toEqual({ wants: [], calls: [], busy: [] })
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
      const { wants, busy } = planClaims(routes, () => devices)
      for (const { id, free } of devices) {
        const given = wants.filter((want) => want.deviceId === id).reduce((sum, want) => sum + want.quota, 0)
        expect(given).toBeLessThanOrEqual(free)
      }
      expect(wants.every((want) => want.quota > 0)).toBe(true)
      expect(wants.length + busy.length).toBe(devices.length === 0 ? 0 : routes.length)
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

test('the key of a route says all that its devices must be able to', () => {
  for (const sender of [null, 'Shop', '+4915112345678', 'a:b+ucs2:']) {
    for (const encodingForced of [false, true])
      for (const avoids of [null, 'dev_01m7yq1we0']) {
        const key = routeKeyOf('live', sender, encodingForced, avoids)
        expect(routeFrom({ account_id: 'a', mode: 'live', route_key: key })).toMatchObject({
          sender,
          encodingForced,
          avoids,
        })
      }
  }
})

test('everybody gets a turn before anybody gets two', () => {
  const { wants } = planClaims(
    ['a', 'b', 'c'].map((name) => route(name)),
    () => [device('d', { free: 7 })],
  )
  expect(wants.map((want) => want.quota).toSorted((a, b) => a - b)).toEqual([2, 2, 3])
})

test('what devices fetch is called for, and claimed by nobody before they ask', () => {
  const phone = device('phone', { fetches: true })
  const routes = [route('a'), route('b')]
  expect(planClaims(routes, () => [phone])).toEqual({ wants: [], calls: routes, busy: [] })
})

test('devices that join fewer parts than others get what they join, and the others what is longer', () => {
  const devices = [device('short', { maxParts: 3 }), device('long', { load: 0.9 })]
  const { wants } = planClaims([route('a')], () => devices)
  expect(wants).toMatchObject([
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
      const { wants } = planClaims([route('a')], () => devices)
      const sizes = wants.flatMap(({ partsOver, partsUpTo, deviceId }) =>
        Array.from({ length: partsUpTo - partsOver }, (_, i) => ({ parts: partsOver + 1 + i, deviceId })),
      )
      expect(new Set(sizes.map(({ parts }) => parts)).size).toBe(sizes.length)
      for (const { parts, deviceId } of sizes)
        expect(devices.find(({ id }) => id === deviceId)?.maxParts).toBeGreaterThanOrEqual(parts)
    }),
  )
})

const avoiding = (id: string): Route => ({ ...route('a'), routeKey: `live!${id}:`, avoids: id })

test('a doubted device gets nothing while a sound one works, with room or without, and is tried now and then', () => {
  const doubted = device('doubted', { isDoubted: true, freeBeside: 0, free: 1 })
  const sound = device('sound', { health: 'degraded', load: 0.9 })
  expect(chooseDevice(route('a'), [doubted, sound])).toBe(sound)
  expect(chooseDevice(route('a'), [doubted, { ...sound, free: 0 }])).toBe('busy')
  expect(chooseDevice(route('a'), [doubted, { ...sound, health: 'offline' }])).toBe(doubted)
  expect(chooseDevice(route('a'), [{ ...doubted, free: 0 }])).toBe('busy')
  expect(chooseDevice(route('a'), [sound, { ...doubted, freeBeside: 1 }])).toMatchObject({
    id: 'doubted',
    free: 1,
  })
  expect(mayFetch(doubted, route('a'), [doubted, sound])).toBe(false)
  expect(mayFetch(doubted, route('a'), [doubted])).toBe(true)
  expect(mayFetch({ ...doubted, freeBeside: 1 }, route('a'), [doubted, sound])).toBe(true)
})

test('a doubted own device is no reason to use a shared one', () => {
  const own = device('own', { accountId: 'a', isDoubted: true, free: 0, freeBeside: 0 })
  const shared = device('shared')
  expect(chooseDevice(route('a'), [own, shared])).toBe('busy')
  expect(mayFetch(shared, route('a'), [own, shared])).toBe(false)
  expect(isForAnother(avoiding('own'), [own, shared], 1)).toBe(false)
})

test('a phone that is to be tried is called though a link carries what waits, and holds nothing up', () => {
  const phone = device('phone', { fetches: true, isDoubted: true, free: 1, freeBeside: 1 })
  const { wants, calls } = planClaims([route('a')], () => [phone, device('link')])
  expect(wants).toMatchObject([{ deviceId: 'link' }])
  expect(calls).toEqual([route('a')])
})

test('beside a sound device one that has failed, or a phone, holds no more than are lost to a new fault', () => {
  const [one, other] = [device('one', { freeBeside: 3 }), device('other', { load: 0.5 })]
  expect(planClaims([route('a')], () => [one, other]).wants).toMatchObject([{ deviceId: 'one', quota: 3 }])
  expect(planClaims([route('a')], () => [one]).wants).toMatchObject([{ deviceId: 'one', quota: 10 }])
  const full = device('full', { freeBeside: 0 })
  expect(chooseDevice(route('a'), [full, other])).toBe(other)
  expect(mayFetch(full, route('a'), [full, other])).toBe(false)
  expect(mayFetch(full, route('a'), [full])).toBe(true)
})

test('what a device has refused is for one whose last word was good, then for any other, then for the same again', () => {
  const [refused, failed, sound] = [
    device('refused'),
    device('failed', { hasFailed: true }),
    device('sound', { load: 1 }),
  ]
  const doubted = device('doubted', { isDoubted: true, freeBeside: 1 })
  const avoids = avoiding('refused')
  expect(chooseDevice(avoids, [refused, failed, sound, doubted])).toBe(sound)
  expect(chooseDevice(avoids, [refused, failed, { ...sound, free: 0 }, doubted])).toBe('busy')
  expect(chooseDevice(avoids, [refused, failed, doubted])).toBe(failed)
  expect(chooseDevice(avoids, [refused, doubted])).toBe(refused)
  expect(mayFetch(refused, avoids, [refused, failed])).toBe(false)
  expect(mayFetch(refused, avoids, [refused, doubted])).toBe(true)
  expect([sound, failed, doubted, refused].map((other) => isForAnother(avoids, [refused, other], 1))).toEqual(
    [true, true, false, false],
  )
  expect(isForAnother(avoids, [refused, { ...sound, maxParts: 3 }], 4)).toBe(false)
})

/** Written from the rules, by looking at all devices for each answer. */
function oracle(asked: Route, devices: readonly Candidate[]): string[] {
  const working = devices.filter(({ health }) => health !== 'offline')
  const own = working.filter(({ accountId }) => accountId !== null)
  const stage = own.length > 0 ? own : working
  const fits = (of: Candidate): number =>
    of.isDoubted ? 3 : asked.avoids === null ? 0 : of.id === asked.avoids ? 2 : of.hasFailed ? 1 : 0
  const best = Math.min(...stage.map(fits))
  return stage
    .filter((one) => {
      const others = stage.filter((other) => other !== one && fits(other) === 0)
      if (others.length === 0) return fits(one) === best && one.free > 0
      const isTrial = one.isDoubted === true && asked.avoids === null
      return (fits(one) === 0 || isTrial) && (one.freeBeside ?? one.free) > 0
    })
    .map(({ id }) => id)
}

test('whoever is chosen may fetch, and whoever may fetch is one of whom the rules allow', () => {
  const candidate = fc.record({
    isOwn: fc.boolean(),
    health: fc.constantFrom('online' as const, 'degraded' as const, 'offline' as const),
    free: fc.integer({ min: 0, max: 3 }),
    freeBeside: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
    isDoubted: fc.boolean(),
    hasFailed: fc.boolean(),
    load: fc.constantFrom(0, 0.5),
  })
  const avoids = fc.option(fc.constantFrom('d0', 'd1', 'd2'), { nil: null })
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 6 }), avoids, (facts, avoided) => {
      const devices = facts
        .map(({ isOwn, freeBeside, isDoubted, hasFailed, ...rest }, i) =>
          device(`d${i}`, {
            ...rest,
            accountId: isOwn ? 'a' : null,
            ...(freeBeside !== undefined && freeBeside < rest.free && { freeBeside }),
            ...(isDoubted && { isDoubted }),
            ...(hasFailed && { hasFailed }),
          }),
        )
        .toSorted((a, b) => Number(a.accountId === null) - Number(b.accountId === null))
      const asked = avoided === null ? route('a') : avoiding(avoided)
      const allowed = oracle(asked, devices)
      const chosen = chooseDevice(asked, devices)
      if (typeof chosen === 'string') expect(allowed).toEqual([])
      else expect(allowed).toContain(chosen.id)
      const fetching = devices
        .filter((each) => each.health !== 'offline' && mayFetch(each, asked, devices))
        .map(({ id }) => id)
      expect(fetching.toSorted()).toEqual(allowed.toSorted())
    }),
    { numRuns: 2_000 },
  )
})

test('what is claimed says in which group its device is, so that receipts over the others of it are found', () => {
  const { wants } = planClaims([route('a')], () => [device('d', { groupId: 'grp_a' })])
  expect(wants).toMatchObject([{ deviceId: 'd', groupId: 'grp_a' }])
})
