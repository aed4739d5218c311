import type { LineChart } from './line-chart.ts'
import type { ProfileName } from './profile/profile-names.ts'

/** One measured value, a line of the table. */
export interface Figure {
  /** The row of the bench that it belongs to. */
  row: number
  name: string
  value: string
  /** The rate in `value`, for what is compared with it. */
  perSecond?: number
  /** Processor time of the server for each message or request, in microseconds. */
  us?: number
  bar?: Bar
  /** What explains the value, as a clause: who used the processors, how much was measured. */
  facts?: string
  /** Which profile shows what stands in the way, should the bar be missed. */
  profile?: ProfileName
  /** Drawn into docs/, under this name. */
  chart?: LineChart & { name: string }
}

/** What a figure must reach. */
export type Bar =
  | { kind: 'most'; most: number; is: number; unit: string }
  | { kind: 'holds'; holds: boolean; summary: string }

export interface Judged {
  bar: string
  verdict: 'pass' | 'MISS' | ''
}

/** Compares a figure with its bar. */
export function judge({ bar }: Pick<Figure, 'bar'>): Judged {
  if (bar === undefined) return { bar: '', verdict: '' }
  return { bar: nameOf(bar), verdict: reaches(bar) ? 'pass' : 'MISS' }
}

function reaches(bar: Bar): boolean {
  switch (bar.kind) {
    case 'most':
      return bar.is <= bar.most
    case 'holds':
      return bar.holds
  }
}

function nameOf(bar: Bar): string {
  switch (bar.kind) {
    case 'most':
      return `≤ ${bar.most}${bar.unit === '' ? '' : ` ${bar.unit}`}`
    case 'holds':
      return bar.summary
  }
}

export const perSecondOf = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`
export const usOf = (value: number): string => `${Math.round(value).toLocaleString('en')} µs`
export const msOf = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`
export const latencyOf = ({ p50, p99 }: { p50: number; p99: number }): string =>
  `p50 ${msOf(p50)}, p99 ${msOf(p99)}`

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}
