import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWithin } from '../../src/devices/routes/hours.ts'
import { asListed } from '../../src/devices/routes/resolve-way.ts'
import { resolveWay } from '../resolve-way.ts'
import { matches, sendsTo } from '../../src/devices/routes/rule.ts'
import { wayId, wayText } from '../../src/devices/routes/way.ts'
import { readWay, writeWay } from '../../src/devices/routes/way-words.ts'
import { parseRouteKey, routeKeyOf } from '../../src/messages/core/route-key.ts'
import { DrawnWays } from '../../src/dispatch/routes/drawn-ways.ts'
import { createIds, stampedId } from '../../src/runtime/ids.ts'

test('a way is written as it is read', () => {
  for (const text of [
    'own',
    'own; grp_net after=5m',
    'own; grp_net offline=never after=90s busy',
    'dev_a*70,dev_b*30; dev_c offline=10m hours=08:00-20:00@Europe/Berlin',
    'dev_a,dev_b,own by=listed; shared offline=never after=1d hours=22:30-06:00@UTC',
  ])
    expect(writeWay(readWay(text))).toBe(text)
  expect(readWay('own;shared  offline=0s by=load')).toEqual([
    { use: ['own'] },
    { use: ['shared'], offlineSeconds: 0 },
  ])
})

test('a way that cannot be is refused with what is wrong', () => {
  const fault = (text: string): string => {
    try {
      readWay(text)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(fault('')).toContain('A stage is empty')
  expect(fault('own;')).toContain('A stage is empty')
  expect(fault('phone')).toContain("'phone' is no device")
  expect(fault('own busy; shared')).toContain('The first stage is open from the start')
  expect(fault('own; shared soon')).toContain("'soon' is unknown here")
  expect(fault('own; shared after=5')).toContain('after is a time such as 30s')
  expect(fault('own; shared after=31d')).toContain('of up to 30d')
  expect(fault('own hours=8-20')).toContain('hours are a range and a time zone')
  expect(fault('own hours=08:00-20:00@Europe/Nowhere')).toContain('hours are a range and a time zone')
  expect(fault('dev_a*70,dev_b')).toContain('such as dev_b*70')
  expect(fault('dev_a*0')).toContain('from 1 to 1000000')
  expect(fault('dev_a,dev_a')).toContain('names a device twice')
  expect(fault('dev_a*1,dev_b*1 by=listed')).toContain('not both')
  expect(fault(Array.from({ length: 9 }, () => 'own').join(';'))).toContain('at most 8 stages')
  const ten = Array.from({ length: 10 }, (_, i) => `dev_${i}*1`).join(',')
  expect(fault(`${ten};${ten}`)).toContain('give 100 ways; at most 64')
})

test('the ID of a way says what is in it, in whatever order it was written', () => {
  const way = { stages: readWay('own; grp_net after=5m') }
  const other = {
    stages: [{ use: ['own'] }, { afterSeconds: 300, offlineSeconds: 0, use: ['grp_net'] }],
    not: [],
  }
  expect(wayText(way)).toBe(wayText(other))
  expect(wayId(way)).toBe(wayId(other))
  expect(wayId(way)).toMatch(/^[A-Za-z0-9]{10}$/)
  expect(wayId({ ...way, not: ['dev_b', 'dev_a'] })).toBe(wayId({ ...way, not: ['dev_a', 'dev_b'] }))
  const ids = ['own', 'own busy', 'shared', 'own by=listed', 'own; shared', 'own; shared busy', 'own; shared after=1s'].map((text) => wayId({ stages: text === 'own busy' ? [{ use: ['own'], busy: true }] : readWay(text) })) // prettier-ignore
  expect(new Set(ids).size).toBe(ids.length)
})

test('the key of a route has the way between what its devices must be able to and the device that it avoids', () => {
  const parts = fc.record({
    sender: fc.constantFrom(null, 'Shop', '+4915112345678', 'a:b~c!d'),
    encodingForced: fc.boolean(),
    paidBy: fc.constantFrom('balance' as const, 'own_device' as const),
    way: fc.constantFrom(null, 'AbCdEf0123', 'dev_01m7yq1we0'),
    avoids: fc.constantFrom(null, 'dev_01m7yq1we0'),
  })
  fc.assert(
    fc.property(parts, ({ way, paidBy, ...rest }) => {
      const key = routeKeyOf({ mode: 'live', way, paidBy, ...rest })
      expect(parseRouteKey(key)).toEqual({
        ...rest,
        ...(paidBy === 'own_device' && { isOwnOnly: true }),
        ...(way !== null && { way }),
      })
    }),
  )
  expect(routeKeyOf({ mode: 'live', sender: 'Shop', encodingForced: true, way: 'w', avoids: 'dev_a' })).toBe(
    'live+ucs2~w!dev_a:Shop',
  )
})

test('a weight is drawn by the message, so that a draw can be repeated and shares hold within one percent', () => {
  const stages = readWay('dev_a*70,dev_b*20,dev_c*10; own')
  let n = 0
  const ids = createIds({
    now: () => 1,
    fillRandom: (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = (n = (n * 1_103_515_245 + 12_345) % 2 ** 31) >> 16
    },
  })
  const counts: Record<string, number> = { dev_a: 0, dev_b: 0, dev_c: 0 }
  for (let i = 0; i < 10_000; i++) {
    const messageId = ids('msg')
    const way = resolveWay(stages, { messageId, not: [] })
    counts[way?.stages[0]?.use[0] as string]! += 1
    // The place in the order of commits, which an accepted message gets, changes no draw.
    const stored = stampedId(messageId, { atMs: 5_000, tick: 7, index: i })
    expect(resolveWay(stages, { messageId: stored, not: [] })).toEqual(way)
  }
  expect(counts['dev_a']! / 10_000).toBeCloseTo(0.7, 1.7)
  expect(counts['dev_b']! / 10_000).toBeCloseTo(0.2, 1.7)
  expect(counts['dev_c']! / 10_000).toBeCloseTo(0.1, 1.7)
})

test('a way that is remembered is the one that the message draws', () => {
  const drawn = new DrawnWays()
  const stages = readWay('dev_a*1,dev_b*1; grp_net busy; dev_c*1,dev_d*1 after=5m')
  const rules = [stages, readWay('dev_c*1,dev_a*1'), asListed(stages), null]
  for (let i = 0; i < 400; i++) {
    const [of, not] = [rules[i % rules.length] ?? null, i % 3 === 0 ? [] : [`dev_${i % 5}`, 'dev_z']]
    if (of === null && not.length === 0) continue
    const way = resolveWay(of, { messageId: `msg_${i}`, not })
    expect(drawn.of(of, `msg_${i}`, not)).toMatchObject({
      name: wayId(way ?? { stages: [] }),
      written: { text: wayText(way ?? { stages: [] }) },
    })
  }
})

test('without a rule the way is the usual one, except for numbers that a device does not send to', () => {
  expect(resolveWay(null, { messageId: 'msg_1', not: [] })).toBeNull()
  expect(resolveWay(null, { messageId: 'msg_1', not: ['dev_a'] })).toMatchObject({
    stages: [{ use: ['own'] }, { use: ['shared'], onlyOffline: true }],
    not: ['dev_a'],
  })
})

test('a rule matches what has all of its members, each by one of its values', () => {
  const message = { accountId: 'acc_a', plan: 'pro', mode: 'live', to: '+4915112345678', country: 'DE', from: 'Shop', category: 'marketing', encoding: 'gsm7', parts: 2 } as const // prettier-ignore
  const rule = (conditions: object, accountId: string | null = null) => ({ id: 'rul_1', name: 'R', accountId, conditions, stages: null }) // prettier-ignore
  const fits = (conditions: object, accountId: string | null = null) =>
    matches(rule(conditions, accountId), message)
  expect(fits({})).toBe(true)
  expect(fits({}, 'acc_a')).toBe(true)
  expect(fits({}, 'acc_b')).toBe(false)
  expect(fits({ to: ['33', '4915'], country: ['DE'], from: ['Shop'], category: ['marketing'], encoding: ['gsm7'], account: ['acc_a'], plan: ['pro'], mode: ['live'], minParts: 2, maxParts: 2 })).toBe(true) // prettier-ignore
  for (const other of [
    { to: ['33'] },
    { to: ['9'] },
    { country: ['FR'] },
    { from: [''] },
    { category: ['transactional'] },
    { encoding: ['ucs2'] },
    { account: ['acc_b'] },
    { plan: ['free'] },
    { plan: [''] },
    { mode: ['test'] },
    { minParts: 3 },
    { maxParts: 1 },
  ])
    // prettier-ignore
    expect(fits(other), JSON.stringify(other)).toBe(false)
  expect(matches(rule({ from: [''] }), { ...message, from: null })).toBe(true)
  const { plan: _, ...withoutPlan } = message
  expect(matches(rule({ plan: [''] }), withoutPlan)).toBe(true)
  expect(matches(rule({ plan: ['pro'] }), withoutPlan)).toBe(false)
  // Test messages go to simulators, unless a rule names the mode.
  expect(matches(rule({}), { ...message, mode: 'test' })).toBe(false)
  expect(matches(rule({ mode: ['test', 'live'] }), { ...message, mode: 'test' })).toBe(true)
})

test('a device sends to the numbers that begin as it says, and to none that it leaves out', () => {
  expect(sendsTo({}, '+4915')).toBe(true)
  expect(sendsTo({ onlyTo: ['33', '1'] }, '+4915')).toBe(false)
  expect(sendsTo({ onlyTo: ['33', '1'] }, '+1415')).toBe(true)
  expect(sendsTo({ notTo: ['1415'] }, '+1415')).toBe(false)
  expect(sendsTo({ onlyTo: ['1'], notTo: ['1415'] }, '+1212')).toBe(true)
})

test('hours are those of their zone, past midnight and in summer too', () => {
  const night = { from: 22 * 60, until: 6 * 60, zone: 'Europe/Berlin' }
  expect(isWithin(night, Date.parse('2026-12-01T21:30:00Z'))).toBe(true)
  expect(isWithin(night, Date.parse('2026-12-01T05:30:00Z'))).toBe(false)
  expect(isWithin(night, Date.parse('2026-07-01T20:30:00Z'))).toBe(true)
  expect(isWithin(night, Date.parse('2026-12-01T20:30:00Z'))).toBe(false)
  const day = { from: 8 * 60, until: 20 * 60, zone: 'UTC' }
  expect(isWithin(day, Date.parse('2026-12-01T08:00:00Z'))).toBe(true)
  expect(isWithin(day, Date.parse('2026-12-01T20:00:00Z'))).toBe(false)
})
