import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Condition } from '../../src/alerts/condition.ts'
import { decideAlerts, type KnownAlert } from '../../src/alerts/decide-alerts.ts'

const condition = (subject: string): Condition => ({
  kind: 'device_offline',
  subject,
  accountId: null,
  mode: null,
  name: subject,
  said: '',
})

/** Looks again and again while conditions come and go, and keeps what was decided as the database does. */
function live(seen: readonly (readonly string[])[], coolDownMs: number) {
  const alerts: (KnownAlert & { beganAt: number })[] = []
  seen.forEach((subjects, nowMs) => {
    const { begin, end } = decideAlerts(subjects.map(condition), alerts, { nowMs, coolDownMs })
    for (const { id } of end) for (const alert of alerts) if (alert.id === id) alert.endedAt = nowMs
    for (const { subject } of begin)
      alerts.push({
        id: `${subject}${nowMs}`,
        kind: 'device_offline',
        subject,
        endedAt: null,
        beganAt: nowMs,
      })
  })
  return alerts
}

const looks = fc.array(fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c')), { maxLength: 40 })

test('at most one alert of a subject lasts, and one begins no sooner than the cool-down after the end of the last', () => {
  fc.assert(
    fc.property(looks, fc.nat(10), (seen, coolDownMs) => {
      const alerts = live(seen, coolDownMs)
      for (const subject of ['a', 'b', 'c']) {
        const own = alerts.filter((alert) => alert.subject === subject)
        own.forEach((alert, i) => {
          const next = own[i + 1]
          if (next === undefined) return
          expect(alert.endedAt).not.toBeNull()
          expect(next.beganAt - (alert.endedAt as number)).toBeGreaterThanOrEqual(coolDownMs)
        })
      }
    }),
  )
})

test('what holds is told at the latest when the cool-down is over, and what does not hold any more has ended', () => {
  fc.assert(
    fc.property(looks, fc.nat(10), (seen, coolDownMs) => {
      const alerts = live(seen, coolDownMs)
      const last = seen.at(-1) ?? []
      const isOpen = (subject: string): boolean =>
        alerts.some((alert) => alert.subject === subject && alert.endedAt === null)
      for (const subject of ['a', 'b', 'c']) {
        const lately = seen.slice(-1 - coolDownMs)
        if (!last.includes(subject)) expect(isOpen(subject)).toBe(false)
        else if (lately.length > coolDownMs && lately.every((each) => each.includes(subject)))
          expect(isOpen(subject)).toBe(true)
      }
    }),
  )
})

test('looking twice at the same changes nothing', () => {
  fc.assert(
    fc.property(looks, fc.nat(10), (seen, coolDownMs) => {
      const twice = seen.flatMap((subjects) => [subjects, subjects])
      const alerts = live(twice, coolDownMs)
      const times = { nowMs: twice.length - 1, coolDownMs }
      const again = decideAlerts((twice.at(-1) ?? []).map(condition), alerts, times)
      expect(again).toEqual({ begin: [], end: [] })
    }),
  )
})
