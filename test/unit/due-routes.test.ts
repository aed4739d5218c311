import { expect, test } from 'vitest'
import { dueRoutes } from '../../src/dispatch/routes/due-routes.ts'
import type { Settlement } from '../../src/messages/outcomes/settlement.ts'

const settled = (accountId: string, dueAt: number | null, routeKey?: string): Settlement =>
  ({
    accountId,
    mode: 'live',
    position: { route_key: 'live:' },
    requeue: dueAt === null ? null : { dueAt, refusals: 0, ...(routeKey !== undefined && { routeKey }) },
  }) as unknown as Settlement

test('each route to which outcomes requeue something is woken at the earliest of their times', () => {
  const due = dueRoutes([
    settled('acc_a', 3_000),
    settled('acc_a', 1_000),
    settled('acc_a', 2_000),
    settled('acc_a', 500, 'live:ACME'),
    settled('acc_b', 4_000),
    settled('acc_b', null),
  ])
  expect(due.map(({ route: { accountId, routeKey }, atMs }) => [accountId, routeKey, atMs])).toEqual([
    ['acc_a', 'live:', 1_000],
    ['acc_a', 'live:ACME', 500],
    ['acc_b', 'live:', 4_000],
  ])
})
