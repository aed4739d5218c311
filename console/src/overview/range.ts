import type { InputOf } from '../../../src/api/console/calls.ts'

export type Range = InputOf<'overview/traffic'>['range']

export interface OverviewSearch {
  range?: Range
}

export const rangeNames: Readonly<Record<Range, string>> = {
  '1h': 'the last hour',
  '6h': 'the last 6 hours',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  '90d': 'the last 90 days',
}

export const isRange = (value: unknown): value is Range =>
  typeof value === 'string' && Object.hasOwn(rangeNames, value)

/** Reads the range from a search; other members are ignored. */
export const readOverviewSearch = ({ range }: Record<string, unknown>): OverviewSearch =>
  isRange(range) ? { range } : {}
