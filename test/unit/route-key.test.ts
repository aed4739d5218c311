import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { chooseDevice, chooseDevices, mayFetch } from '../../src/dispatch/routes/choose-device.ts'
import type { WayNow } from '../../src/dispatch/routes/walk-way.ts'
import { explainRoute } from '../../src/dispatch/routes/explain-route.ts'
import { routeFrom } from '../../src/dispatch/routes/route-ring.ts'
import { parseRouteKey, routeKeyOf } from '../../src/messages/core/route-key.ts'
import { device } from './candidates.ts'

const id = fc.stringMatching(/^dev_[0-9a-z]{6}$/)
const way = fc.oneof(id, fc.stringMatching(/^[0-9A-Za-z]{10}$/))
const sender = fc.option(fc.constantFrom('+4915112345678', 'Acme', 'a:b', '!x', '!!y'))

test('a key of a route says what it was built from, whatever the sender is', () => {
  fc.assert(
    fc.property(sender, fc.boolean(), fc.boolean(), fc.option(way, { nil: undefined }), fc.option(id), fc.array(id, { maxLength: 3 }), (from, encodingForced, isOwn, through, avoids, excludes) => {
      const paidBy = isOwn ? 'own_device' : 'balance'
      const key = routeKeyOf({ mode: 'live', sender: from, encodingForced, paidBy, way: through, avoids, excludes })
      expect(parseRouteKey(key)).toEqual({
        sender: from,
        encodingForced,
        avoids,
        ...(isOwn && { isOwnOnly: true }),
        ...(through !== undefined && { way: through }),
        ...(excludes.length > 0 && { excludes }),
      })
    }),
  ) // prettier-ignore
  const whole = { mode: 'live', sender: 'Acme', encodingForced: true, paidBy: 'own_device', way: 'w1', avoids: 'dev_b', excludes: ['dev_a'] } as const // prettier-ignore
  expect(routeKeyOf(whole)).toBe('live+ucs2+own~w1!!dev_a!dev_b:Acme')
})

test('an excluded device carries nothing of the route, also where it works alone, and a refusal keeps it excluded', () => {
  const route_key = routeKeyOf({ mode: 'live', sender: null, excludes: ['a'] })
  const route = routeFrom({ account_id: 'acc', mode: 'live', route_key })
  const [a, b] = [device('a', { fetches: true }), device('b')]
  expect([chooseDevice(route, [a]), chooseDevice(route, [a, b])]).toEqual(['none', b])
  expect(mayFetch(a, route, [a])).toBe(false)
  const claimed = {
    accountId: 'acc', mode: 'live', messageId: 'msg', attemptId: 'att', attemptNumber: 1, startedAt: 0, deviceId: 'b', to: '+4915112345678', from: null, text: '', encoding: 'gsm7',
    parts: 1, category: 'transactional', expiresAt: 1, onUnknown: 'stop', possibleDuplicate: false, position: { route_key, priority: 1, due_at: 0, refusals: 0 },
  } as const // prettier-ignore
  const refused = { kind: 'refused', lasts: 'now', code: 'device_error', networkCode: null } as const
  const { requeue } = judgeOutcome(claimed, refused, 0, 0, () => true)
  expect(parseRouteKey(requeue?.routeKey ?? '')).toMatchObject({ avoids: 'b', excludes: ['a'] })
})

test('a message that follows begins where its way has other devices left, and only then keeps to what opens a stage', () => {
  const route = routeFrom({ account_id: 'acc', mode: 'live', route_key: routeKeyOf({ mode: 'live', sender: null, way: 'w', excludes: ['a'] }) })
  const on = (text: string): WayNow => ({ way: { stages: readWay(text) }, nowMs: 0, offSinceMs: () => null })
  const devices = ['dev_a', 'dev_b', 'dev_c'].map((name) => device(name))
  const excluded = { ...route, excludes: ['dev_a'] }
  const now = (text: string) => {
    const choice = chooseDevices(excluded, devices, on(text)).now
    return typeof choice === 'string' ? choice : [choice.device.id, choice.why]
  }
  expect(now('dev_a; dev_b offline=never after=5m')).toEqual(['dev_b', 'first'])
  expect(now('dev_a,dev_c; dev_b offline=never after=5m')).toEqual(['dev_c', 'first'])
  expect(now('dev_a')).toBe('none')
  const [stage] = explainRoute({ route: excluded, parts: 1, now: on('dev_a; dev_b'), devices })
  expect(stage?.devices).toMatchObject([{ id: 'dev_a', verdict: 'undelivered_before' }])
}) // prettier-ignore
