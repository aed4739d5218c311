import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Candidate, Route } from '../../src/dispatch/routes/candidate.ts'
import { chooseDevices, fetchesOf } from '../../src/dispatch/routes/choose-device.ts'
import { explainRoute } from '../../src/dispatch/routes/explain-route.ts'
import { planClaims } from '../../src/dispatch/routes/plan-claims.ts'
import { RouteRing } from '../../src/dispatch/routes/route-ring.ts'
import type { WayNow } from '../../src/dispatch/routes/walk-way.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { placeIn, type Stage, type Way } from '../../src/devices/routes/way.ts'
import { sizeOf } from '../proof-sizes.ts'
import { device, route } from './candidates.ts'

/** Which device a message gets on a way of several stages. */

const noonMs = Date.parse('2026-12-01T12:00:00Z')
const on = (text: string | Way, offSince: Record<string, number> = {}): WayNow => ({
  way: typeof text === 'string' ? { stages: readWay(text) } : text,
  nowMs: noonMs,
  offSinceMs: (id) => offSince[id] ?? null,
})
const asked: Route = { ...route('a'), way: 'w', routeKey: 'live~w:' }
const idOf = (choice: ReturnType<typeof chooseDevices>['now' | 'waited']): string | null =>
  choice === null || typeof choice === 'string' ? choice : choice.device.id

test('a device that has its turn in an earlier stage, though it lost it in a later one, gets what has waited so long', () => {
  const drawn: Stage = { use: ['dev_c', 'dev_b'], by: 'drawn', afterSeconds: 10 }
  const way = { stages: [{ use: ['own'] }, { use: ['dev_b'], afterSeconds: 60 }, drawn] } as Way
  const full = [device('own', { accountId: 'a', free: 0 }), device('dev_c', { free: 0 })]
  expect(chooseDevices(asked, [...full, device('dev_b')], on(way))).toMatchObject({
    now: 'busy',
    waited: { device: { id: 'dev_b' }, waitedMs: 60_000 },
  })
})

test('a phone that asks works, though its last word said otherwise: on a way of a rule it gets what is for it', () => {
  const phone = device('own', { accountId: 'a', fetches: true, health: 'offline' })
  expect(fetchesOf(phone, asked, [phone, device('net')], on('own; shared'))).toMatchObject([{ why: 'first', waitedMs: 0 }]) // prettier-ignore
})

test('a phone that asks is judged as it asks, not as it is listed: another node may doubt it', () => {
  const phone = device('own', { accountId: 'a', fetches: true })
  const asking = { ...phone, isDoubted: true as const, free: 1, freeWithOthers: 0 }
  expect(fetchesOf(asking, asked, [phone, device('net')], on('own; shared'))).toEqual([])
  expect(fetchesOf(phone, asked, [phone, device('net')], on('own; shared'))).toMatchObject([{ why: 'first' }])
})

test('a later stage opens when no device before works, not while one has no room', () => {
  const own = device('own', { accountId: 'a' })
  const net = device('net', { groupId: 'grp_net' })
  const now = on('own; grp_net')
  expect(idOf(chooseDevices(asked, [own, net], now).now)).toBe('own')
  expect(idOf(chooseDevices(asked, [{ ...own, free: 0 }, net], now).now)).toBe('busy')
  const off = chooseDevices(asked, [{ ...own, health: 'offline' }, net], now).now
  expect(off).toMatchObject({ device: { id: 'net' }, why: 'offline_before' })
  expect(idOf(chooseDevices(asked, [{ ...own, health: 'offline' }, net], on('own; grp_net offline=never')).now)).toBe('none') // prettier-ignore
})

test('with busy a later stage opens at once, and by a time for messages that have waited so long', () => {
  const own = device('own', { accountId: 'a', free: 0 })
  const net = device('net')
  expect(chooseDevices(asked, [own, net], on('own; shared busy')).now).toMatchObject({
    device: { id: 'net' },
    why: 'busy_before',
  })
  const choices = chooseDevices(asked, [own, net], on('own; shared after=5m'))
  expect(choices.now).toBe('busy')
  expect(choices.waited).toMatchObject({ device: { id: 'net' }, why: 'waited', waitedMs: 300_000 })
  // While the stage before has room it takes the oldest anyway; a phone may not come.
  expect(chooseDevices(asked, [{ ...own, free: 1 }, net], on('own; shared after=5m')).waited).toBeNull()
  const phone = device('own', { accountId: 'a', fetches: true })
  expect(chooseDevices(asked, [phone, net], on('own; shared after=5m')).waited).toMatchObject({
    device: { id: 'net' },
  })
  expect(planClaims([asked], () => [own, net], () => on('own; shared after=5m')).requests).toMatchObject([
    { deviceId: 'net', waitedMs: 300_000, why: 'waited' },
  ]) // prettier-ignore
})

test('a device in doubt, or that refused the message, opens the next stage of a rule, but of no usual way', () => {
  const own = device('own', { accountId: 'a', isDoubted: true, freeWithOthers: 0 })
  const net = device('net')
  expect(idOf(chooseDevices(asked, [own, net], on('own; shared')).now)).toBe('net')
  expect(idOf(chooseDevices(route('a'), [own, net]).now)).toBe('own')
  const avoids = { ...asked, avoids: 'own' }
  expect(
    chooseDevices(avoids, [device('own', { accountId: 'a' }), net], on('own; shared')).now,
  ).toMatchObject({
    device: { id: 'net' },
    why: 'refused_before',
  })
})

test('a stage opens after a time without a working device, counted from when the last one worked', () => {
  const own = device('own', { accountId: 'a', health: 'offline' })
  const text = 'own; shared offline=10m'
  const choice = (sinceMs?: number) =>
    idOf(chooseDevices(asked, [own, device('net')], on(text, sinceMs === undefined ? {} : { own: sinceMs })).now) // prettier-ignore
  expect(choice()).toBe('none')
  expect(choice(noonMs - 599_000)).toBe('none')
  expect(choice(noonMs - 600_000)).toBe('net')
})

test('outside its hours a stage has nothing, and the next one opens', () => {
  const [one, other] = [device('dev_a'), device('dev_b')]
  expect(idOf(chooseDevices(asked, [one, other], on('dev_a hours=08:00-20:00; dev_b')).now)).toBe('dev_a')
  expect(idOf(chooseDevices(asked, [one, other], on('dev_a hours=20:00-08:00; dev_b')).now)).toBe('dev_b')
})

test('of a stage with weights the drawn device carries its share alone, while it works', () => {
  const stages: Stage[] = [{ use: ['dev_b', 'dev_a'], by: 'drawn' }]
  const [one, other] = [device('dev_a'), device('dev_b', { free: 0 })]
  expect(idOf(chooseDevices(asked, [one, other], on({ stages })).now)).toBe('busy')
  expect(idOf(chooseDevices(asked, [one, { ...other, health: 'offline' }], on({ stages })).now)).toBe('dev_a')
  expect(idOf(chooseDevices(asked, [one, { ...other, free: 1, load: 0.9 }], on({ stages })).now)).toBe('dev_b') // prettier-ignore
  expect(idOf(chooseDevices(asked, [one, other], on('dev_b,dev_a by=listed')).now)).toBe('dev_a')
})

test('a way never leads to a device that it does not name, or that does not send to the number', () => {
  const devices = [device('dev_a'), device('dev_b'), device('dev_c', { accountId: 'b' })]
  expect(idOf(chooseDevices(asked, devices, on({ stages: [{ use: ['shared'] }], not: ['dev_a'] })).now)).toBe(
    'dev_b',
  )
  expect(idOf(chooseDevices(asked, devices, on('dev_c')).now)).toBe('none')
})

test('an account has as much of a device with many ways as another with one, and no more than sixteen of them are claimed at once', () => {
  const ring = new RouteRing()
  const ways = Array.from({ length: 17 }, (_, i) => `live~w${i}:`)
  for (const [i, routeKey] of ways.entries()) ring.add({ ...asked, way: `w${i}`, routeKey })
  ring.add(route('b'))
  // On the usual way an account has its turn beside its sixteen.
  ring.add(route('a', '+4915100000001'))
  const taken = ring.take(256)
  expect(taken.map(({ routeKey }) => routeKey)).toEqual([
    ...ways.slice(0, 16),
    'live:',
    'live:+4915100000001',
  ])
  expect(ring.take(256).map(({ routeKey }) => routeKey)).toEqual(ways.slice(16))
  const { requests } = planClaims(taken.slice(0, -1), () => [device('d', { free: 32 })], () => on('shared')) // prettier-ignore
  const rooms = Object.groupBy(requests, ({ accountId }) => accountId)
  expect(rooms['a']?.map(({ quota }) => quota)).toEqual(Array.from({ length: 16 }, () => 1))
  expect(rooms['b']?.map(({ quota }) => quota)).toEqual([16])
})

/** Whether a message that has been due for `waitedMs` may go to a device now: written from the rules, looking at all devices. */
function oracle(to: Route, now: WayNow, devices: readonly Candidate[], waitedMs: number): string[] {
  const names = (stage: Stage, { id, accountId, groupId }: Candidate): number => stage.use.findIndex((name) => name === id || name === groupId || (name === 'own' && accountId !== null) || (name === 'shared' && accountId === null)) // prettier-ignore
  const hour = new Date(now.nowMs).getUTCHours() * 60
  const inHours = ({ hours }: Stage): boolean =>
    hours === undefined ||
    (hours.from < hours.until
      ? hour >= hours.from && hour < hours.until
      : hour >= hours.from || hour < hours.until)
  const works = ({ health }: Candidate): boolean => health !== 'offline'
  const isSound = (one: Candidate): boolean => works(one) && one.isDoubted !== true && one.id !== to.avoids
  const isOpen = (stage: Stage, i: number): boolean => {
    if (!inHours(stage)) return false
    if (i === 0) return true
    const before = devices.filter((one) => now.way.stages.slice(0, i).some((each) => inHours(each) && names(each, one) >= 0)) // prettier-ignore
    const seconds = stage.offlineSeconds ?? 0
    const areOff = before.every((one) => !isSound(one) && (works(one) || seconds === 0 || (now.offSinceMs(one.id) ?? Infinity) + seconds * 1_000 <= now.nowMs)) // prettier-ignore
    if (stage.offlineSeconds !== null && areOff) return true
    const sound = before.filter(isSound)
    if (stage.busy && sound.length > 0 && sound.every(({ free, isElsewhere }) => free === 0 && !isElsewhere)) return true // prettier-ignore
    return stage.afterSeconds !== undefined && stage.afterSeconds * 1_000 <= waitedMs
  }
  const open = now.way.stages.filter(isOpen)
  const working = devices.filter((one) => works(one) && open.some((stage) => names(stage, one) >= 0))
  const stageOf = (one: Candidate): Stage => open.find((stage) => names(stage, one) >= 0) as Stage
  const fits = (one: Candidate): number => one.isDoubted ? 3 : to.avoids === null ? 0 : one.id === to.avoids ? 2 : one.hasFailed ? 1 : 0 // prettier-ignore
  const best = Math.min(...working.map(fits))
  return working
    .filter((one) => {
      const stage = stageOf(one)
      const alike = working.filter((other) => other !== one && fits(other) === fits(one))
      const sooner = alike.filter((other) => stageOf(other) === stage && names(stage, other) < names(stage, one)) // prettier-ignore
      const free =
        best === 0 && (alike.length > 0 || fits(one) > 0) ? (one.freeWithOthers ?? one.free) : one.free
      if (fits(one) > best) return best === 0 && one.isDoubted === true && to.avoids === null && free > 0
      if (stage.by === 'drawn' && sooner.length > 0) return false
      if (
        stage.by === 'listed' &&
        sooner.some((other) => (best === 0 ? (other.freeWithOthers ?? other.free) : other.free) > 0)
      )
        return false
      return free > 0
    })
    .map(({ id }) => id)
    .toSorted()
}

const uses = ['dev_0', 'dev_1', 'dev_2', 'dev_3', 'grp_x', 'own', 'shared']
const stages: fc.Arbitrary<Stage> = fc
  .record({
    use: fc.uniqueArray(fc.constantFrom(...uses), { minLength: 1, maxLength: 3 }),
    by: fc.option(fc.constantFrom('listed' as const, 'drawn' as const), { nil: undefined }),
    offlineSeconds: fc.constantFrom(undefined, null, 0, 600),
    afterSeconds: fc.constantFrom(undefined, undefined, 60, 300),
    busy: fc.constantFrom(undefined, true as const),
    hours: fc.constantFrom(undefined, undefined, { from: 480, until: 1_200, zone: 'UTC' }, { from: 1_200, until: 480, zone: 'UTC' }), // prettier-ignore
  })
  .map((stage) => Object.fromEntries(Object.entries(stage).filter(([, value]) => value !== undefined)) as unknown as Stage) // prettier-ignore

const candidates = fc.array(
  fc.record({
    isOwn: fc.boolean(),
    inGroup: fc.boolean(),
    health: fc.constantFrom('online' as const, 'online' as const, 'degraded' as const, 'offline' as const),
    free: fc.integer({ min: 0, max: 2 }),
    freeWithOthers: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
    isDoubted: fc.boolean(),
    hasFailed: fc.boolean(),
    fetches: fc.boolean(),
    load: fc.constantFrom(0, 0.5),
    offForS: fc.constantFrom(null, 0, 900),
  }),
  { maxLength: 5 },
)

test('on every way, whoever may have a message is one of whom the rules allow, whoever is chosen comes first, and the explanation says who', () => {
  const ages = [0, 60_000, 300_000]
  fc.assert(
    fc.property(
      fc.array(stages, { minLength: 1, maxLength: 4 }),
      candidates,
      fc.constantFrom(null, 'dev_0', 'dev_1'),
      (way, facts, avoids) => {
        const devices = facts
          .map(({ isOwn, inGroup, freeWithOthers, isDoubted, hasFailed, health, free, fetches, load }, i) =>
            device(`dev_${i}`, {
              health,
              free,
              fetches,
              load,
              accountId: isOwn ? 'a' : null,
              ...(inGroup && { groupId: 'grp_x' }),
              ...(freeWithOthers !== undefined && freeWithOthers < free && { freeWithOthers }),
              ...(isDoubted && { isDoubted }),
              ...(hasFailed && { hasFailed }),
            }),
          )
          .toSorted((a, b) => Number(a.accountId === null) - Number(b.accountId === null))
        const offSince = Object.fromEntries(facts.flatMap(({ offForS }, i) => (offForS === null ? [] : [[`dev_${i}`, noonMs - offForS * 1_000]]))) // prettier-ignore
        const now = on({ stages: way }, offSince)
        const to = { ...asked, avoids }
        const allowed = new Map(ages.map((age) => [age, oracle(to, now, devices, age)]))
        for (const one of devices.filter(({ health }) => health !== 'offline')) {
          const least = ages.find((age) => allowed.get(age)?.includes(one.id)) ?? null
          expect(fetchesOf(one, to, devices, now)[0]?.waitedMs ?? null, one.id).toBe(least)
        }
        const { now: first, waited } = chooseDevices(to, devices, now)
        // A phone in doubt that is tried beside sound devices is called, and not chosen.
        const isTrial = (id: string): boolean =>
          devices.some((one) => one.id === id && one.fetches && one.isDoubted)
        if (typeof first === 'string') expect(allowed.get(0)?.filter((id) => !isTrial(id))).toEqual([])
        else expect(allowed.get(0)).toContain(first.device.id)
        if (waited !== null) {
          expect(allowed.get(waited.waitedMs as number)).toContain(waited.device.id)
          expect(waited.device.fetches).toBe(false)
          expect(typeof first === 'string' || first.device.fetches).toBe(true)
        }
        // Whom a message that has waited may go to is not passed over, where all are links and each is in one stage.
        const able = (allowed.get(300_000) ?? []).map(
          (id) => devices.find((one) => one.id === id) as Candidate,
        )
        const isOnce = devices.every((one) => way.filter((stage) => placeIn(stage, one) >= 0).length <= 1)
        if (able.length > 0 && isOnce && able.every(({ fetches }) => !fetches))
          expect(typeof first !== 'string' || waited !== null).toBe(true)
        const next = explainRoute({ route: to, parts: 1, now, devices }).flatMap((stage) =>
          stage.devices.filter(({ verdict }) => verdict === 'next').map(({ id }) => id),
        )
        expect([...new Set(next)]).toEqual(typeof first === 'string' ? [] : [first.device.id])
      },
    ),
    { numRuns: sizeOf('WAY_CHOICES') },
  )
})
