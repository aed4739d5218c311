import { expect, test } from 'vitest'
import type { Route } from '../../src/dispatch/routes/candidate.ts'
import { explainRoute } from '../../src/dispatch/routes/explain-route.ts'
import type { WayNow } from '../../src/dispatch/routes/walk-way.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { device, route } from './candidates.ts'

/** What an explanation says of the devices and stages of a way. */

const asked: Route = { ...route('a'), way: 'w', routeKey: 'live~w:' }
const on = (text: string): WayNow => ({
  way: { stages: readWay(text) },
  nowMs: Date.parse('2026-12-01T12:00:00Z'),
  offSinceMs: () => null,
})

test('a device that cannot join so many parts is passed over: the next one is said to get the message', () => {
  const devices = [device('short', { maxParts: 2 }), device('long', { load: 0.5 })]
  const said = (parts: number): unknown =>
    explainRoute({ route: asked, parts, now: on('shared'), devices }).map((stage) =>
      stage.devices.map(({ id, verdict }) => `${id} ${verdict}`),
    )
  expect(said(2)).toEqual([['short next', 'long equal']])
  expect(said(3)).toEqual([['short too_long', 'long next']])
})

test('an explanation says of a stage that nothing opens that it never does', () => {
  const [, later] = explainRoute({
    route: asked,
    parts: 1,
    now: on('own; shared offline=never'),
    devices: [],
  })
  expect(later?.opens).toBe('never')
})

test('an explanation says times in the largest unit that has no rest', () => {
  const opens = (text: string): unknown =>
    explainRoute({ route: asked, parts: 1, now: on(`own; shared after=${text}`), devices: [] })[1]?.opens
  const said = (words: string): string => `after ${words}, or when no device before works`
  expect(['1s', '61s', '90s', '1m', '5m', '90m', '1h', '2h'].map(opens)).toEqual(
    ['1 second', '61 seconds', '90 seconds', '1 minute', '5 minutes', '90 minutes', '1 hour', '2 hours'].map(
      said,
    ),
  )
})
