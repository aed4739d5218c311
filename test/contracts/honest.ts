import { expect } from 'vitest'
import type { Submission, Outcome } from '../../src/connectors/connector.ts'
import type { Health } from '../../src/connectors/health.ts'

const code = /^[a-z]+(_[a-z]+)*$/

/** Fails unless the outcome says neither more nor less than such an outcome may. */
export function expectHonestOutcome(outcome: Outcome, { parts }: Submission): void {
  switch (outcome.kind) {
    case 'accepted':
      expect(outcome.networkIds).toHaveLength(parts)
      expect(new Set(outcome.networkIds).size).toBe(parts)
      return
    case 'partial':
      expect(outcome.partsTaken).toBeGreaterThan(0)
      expect(outcome.partsTaken).toBeLessThan(parts)
      expect(outcome.networkIds).toHaveLength(outcome.partsTaken)
      expect(outcome.code).toMatch(code)
      return
    case 'refused':
      expect(['good', 'now', 'busy', 'expired']).toContain(outcome.lasts)
      expect(outcome.code).toMatch(code)
      return
    case 'unknown':
      expect(outcome.partsTaken).toBeLessThanOrEqual(parts)
      expect(outcome.networkIds).toHaveLength(outcome.partsTaken)
      expect(outcome.detail).toMatch(/\w/)
      return
    case 'unavailable':
      expect(outcome.detail).toMatch(/\w/)
  }
}

/** Fails unless each group of the health is null or complete, and reasons stand where something is wrong. */
export function expectHonestHealth(health: Health): void {
  const { status, reasons, battery, network, sims } = health
  expect(['pending', 'online', 'degraded', 'offline']).toContain(status)
  expect(['stream', 'poll', 'push', 'visit', 'session', 'none']).toContain(health.link)
  for (const reason of reasons) expect(reason).toMatch(code)
  if (status === 'degraded') expect(reasons).not.toEqual([])
  if (status === 'online') expect(reasons).toEqual([])
  for (const atMs of [health.lastSeenAt, health.nextContactExpectedBy]) expectInstant(atMs)
  for (const text of [health.appVersion, health.lastError]) expect(text === null || text !== '').toBe(true)
  if (battery !== null) {
    expect(Object.keys(battery).toSorted()).toEqual(['at', 'charging', 'percent'])
    expect(battery.percent >= 0 && battery.percent <= 100).toBe(true)
    expectInstant(battery.at)
  }
  if (network !== null) {
    const members = ['at', 'operator', 'registered', 'roaming', 'signalDbm', 'transport']
    expect(Object.keys(network).toSorted()).toEqual(members)
    expectInstant(network.at)
  }
  for (const sim of sims) expect(Object.keys(sim).toSorted()).toEqual(['carrier', 'number', 'slot'])
}

const expectInstant = (atMs: number | null): void => {
  expect(atMs === null || (Number.isSafeInteger(atMs) && atMs > 0)).toBe(true)
}
