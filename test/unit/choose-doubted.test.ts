import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Candidate, Route } from '../../src/dispatch/routes/candidate.ts'
import { chooseDevice, isForAnother, mayFetch } from '../../src/dispatch/routes/choose-device.ts'
import { planClaims } from '../../src/dispatch/routes/plan-claims.ts'
import { device, route } from './candidates.ts'

/** How devices that fail come behind those that work (decision 44). */

const avoiding = (id: string): Route => ({ ...route('a'), routeKey: `live!${id}:`, avoids: id })

test('a doubted device gets nothing while a sound one works, with room or without, and is tried now and then', () => {
  const doubted = device('doubted', { isDoubted: true, freeWithOthers: 0, free: 1 })
  const sound = device('sound', { health: 'degraded', load: 0.9 })
  expect(chooseDevice(route('a'), [doubted, sound])).toBe(sound)
  expect(chooseDevice(route('a'), [doubted, { ...sound, free: 0 }])).toBe('busy')
  expect(chooseDevice(route('a'), [doubted, { ...sound, health: 'offline' }])).toBe(doubted)
  expect(chooseDevice(route('a'), [{ ...doubted, free: 0 }])).toBe('busy')
  expect(chooseDevice(route('a'), [sound, { ...doubted, freeWithOthers: 1 }])).toMatchObject({
    id: 'doubted',
    free: 1,
  })
  expect(mayFetch(doubted, route('a'), [doubted, sound])).toBe(false)
  expect(mayFetch(doubted, route('a'), [doubted])).toBe(true)
  expect(mayFetch({ ...doubted, freeWithOthers: 1 }, route('a'), [doubted, sound])).toBe(true)
})

test('a doubted own device is no reason to use a shared one', () => {
  const own = device('own', { accountId: 'a', isDoubted: true, free: 0, freeWithOthers: 0 })
  const shared = device('shared')
  expect(chooseDevice(route('a'), [own, shared])).toBe('busy')
  expect(mayFetch(shared, route('a'), [own, shared])).toBe(false)
  expect(isForAnother(avoiding('own'), [own, shared], 1)).toBe(false)
})

test('for a sound device of the account that has room none of the others is looked at', () => {
  const looked: string[] = []
  function* others() {
    looked.push('at others')
    yield device('other')
  }
  expect(mayFetch(device('own', { accountId: 'a', free: 1 }), route('a'), others())).toBe(true)
  expect(looked).toEqual([])
  expect(mayFetch(device('shared', { free: 1 }), route('a'), others())).toBe(true)
  expect(looked).toEqual(['at others'])
})

test('a phone that is to be tried is called though a link carries what waits, and holds nothing up', () => {
  const phone = device('phone', { fetches: true, isDoubted: true, free: 1, freeWithOthers: 1 })
  const { requests, calls } = planClaims([route('a')], () => [phone, device('link')])
  expect(requests).toMatchObject([{ deviceId: 'link' }])
  expect(calls).toEqual([route('a')])
})

test('beside a sound device one that has failed, or a phone, holds no more than are lost to a new fault', () => {
  const [one, other] = [device('one', { freeWithOthers: 3 }), device('other', { load: 0.5 })]
  expect(planClaims([route('a')], () => [one, other]).requests).toMatchObject([{ deviceId: 'one', quota: 3 }])
  expect(planClaims([route('a')], () => [one]).requests).toMatchObject([{ deviceId: 'one', quota: 10 }])
  const full = device('full', { freeWithOthers: 0 })
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
  const doubted = device('doubted', { isDoubted: true, freeWithOthers: 1 })
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
      return (fits(one) === 0 || isTrial) && (one.freeWithOthers ?? one.free) > 0
    })
    .map(({ id }) => id)
}

test('whoever is chosen may fetch, and whoever may fetch is one of whom the rules allow', () => {
  const candidate = fc.record({
    isOwn: fc.boolean(),
    health: fc.constantFrom('online' as const, 'degraded' as const, 'offline' as const),
    free: fc.integer({ min: 0, max: 3 }),
    freeWithOthers: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
    isDoubted: fc.boolean(),
    hasFailed: fc.boolean(),
    load: fc.constantFrom(0, 0.5),
  })
  const avoids = fc.option(fc.constantFrom('d0', 'd1', 'd2'), { nil: null })
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 6 }), avoids, (facts, avoided) => {
      const devices = facts
        .map(({ isOwn, freeWithOthers, isDoubted, hasFailed, ...rest }, i) =>
          device(`d${i}`, {
            ...rest,
            accountId: isOwn ? 'a' : null,
            ...(freeWithOthers !== undefined && freeWithOthers < rest.free && { freeWithOthers }),
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
