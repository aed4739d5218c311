import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/process/metrics.ts'

/** https://prometheus.io/docs/practices/naming: `_total` is the suffix of what accumulates, of that and nothing else; base units in the plural. */
const faultOf = (type: string, name: string): string | null => {
  if (!/^onesixty_[a-z][a-z0-9_]*[a-z0-9]$/.test(name)) return `${name}: no name of ours`
  if ((type === 'counter') !== name.endsWith('_total')) return `${name}: a ${type}`
  if (/_(count|sum|bucket)$/.test(name)) return `${name}: a suffix that histograms add`
  return /_(ms|milliseconds|kb|mb|minutes)(_total)?$/.test(name) ? `${name}: no base unit` : null
}

test('metrics are named as Prometheus wants it: counters end on _total, and nothing else does', async () => {
  expect(faultOf('gauge', 'onesixty_nodejs_active_handles_total')).not.toBeNull()
  expect(faultOf('counter', 'onesixty_refused')).not.toBeNull()
  const types = [...(await createMetrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  expect(types.length).toBeGreaterThan(25)
  const gauges = globSync('src/**/*.ts').flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\.(?:gauge|deviceGauge)\(\s*'(\w+)'/g),
  ])
  expect(gauges.length).toBeGreaterThan(10)
  const faults = [
    ...types.map(([, name = '', type = '']) => faultOf(type, name)),
    ...gauges.map(([, name = '']) => faultOf('gauge', `onesixty_${name}`)),
  ]
  expect(faults.filter((fault) => fault !== null)).toEqual([])
})
