import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withinQuotas } from '../../src/messages/queue/within-quotas.ts'
import { planClaims } from '../../src/dispatch/routes/plan-claims.ts'
import { device, route } from './candidates.ts'

const request = {
  accountId: 'a',
  mode: 'live',
  routeKey: 'r',
  deviceId: 'd',
  quota: 1,
  sharesQuota: true,
} as const

test('a device with room for one message asks for all sizes of a route, and gets what comes first in the queue', () => {
  const idle = device('idle', { free: 1, maxParts: 10 })
  const short = device('short', { free: 1, maxParts: 3, load: 0.9 })
  const { requests, busy } = planClaims([route('a')], () => [idle, short])
  expect(requests).toMatchObject([
    { deviceId: 'idle', partsOver: 0, partsUpTo: 3, quota: 1, sharesQuota: true },
    { deviceId: 'idle', partsOver: 3, partsUpTo: 10, quota: 1, sharesQuota: true },
  ])
  expect(busy).toEqual([])
  const long = { request: 1, id: 'long', priority: 2, due_at: 1_000 }
  const later = { request: 0, id: 'short', priority: 2, due_at: 2_000 }
  expect(withinQuotas([later, long], requests)).toEqual([long])
})

test('routes, devices and sizes that share no quota get each their own', () => {
  const { sharesQuota: _, ...alone } = request
  const requests = [request, { ...request, deviceId: 'e' }, { ...request, routeKey: 's' }, alone]
  const rows = requests.flatMap((one, i) => [1, 2].map((due_at) => ({ request: i, id: `${i}${due_at}`, priority: 2, due_at, one }))) // prettier-ignore
  expect(withinQuotas(rows, requests).map(({ id }) => id)).toEqual(['01', '11', '21', '31', '32'])
})

test('of any sizes the rows are the first of the queue, as if they had been asked for at once', () => {
  const row = fc.record({ request: fc.nat(2), priority: fc.nat(2), due_at: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), fc.integer({ min: 1, max: 8 }), (found, quota) => {
      const rows = found.map((one, i) => ({ ...one, id: String(i).padStart(2, '0') }))
      const asked = [0, 1, 2].map(() => ({ ...request, quota }))
      const place = ({ priority, due_at, id }: (typeof rows)[number]) => `${priority}/${due_at}/${id}`
      const first = rows.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, quota)
      expect(new Set(withinQuotas(rows, asked))).toEqual(new Set(first))
    }),
  )
})
