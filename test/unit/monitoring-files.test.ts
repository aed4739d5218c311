import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Outcome } from '../../src/connectors/connector.ts'
import { moves } from '../../src/messages/core/state.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { settings } from '../../src/settings/settings.ts'
import { type AlertRule, readExpressions } from '../monitoring-expressions.ts'

// Which metrics there are is proved against a started server: test/deployment/started-server.test.ts.

const deploy = join(import.meta.dirname, '../../deploy')
const expressions = readExpressions()
const rules = expressions.flatMap(({ rule }) => (rule === null ? [] : [rule]))

test('the dashboard and the rules ask for something', () => {
  expect(rules.length).toBeGreaterThan(15)
  expect(expressions.length - rules.length).toBeGreaterThan(20)
})

test('every rule has a name of its own, a severity and a sentence', () => {
  const names = rules.map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  const isWhole = ({ alert, labels, annotations }: AlertRule): boolean =>
    /^Onesixty[A-Z]\w+$/.test(alert) &&
    /^(page|ticket)$/.test(labels.severity) &&
    annotations.summary.endsWith('.')
  expect(rules.filter((rule) => !isWhole(rule))).toEqual([])
})

test('every expression closes what it opens and uses known functions', () => {
  const known = /^(sum|max|count|vector|by|rate|increase|changes|absent|histogram_quantile|and|or)$/
  const faulty = expressions.filter(({ text }) => {
    const called = [...text.matchAll(/\b([a-z_]+)\s*\(/g)].map(([, name = '']) => name)
    return (
      called.some((name) => !known.test(name)) ||
      ['()', '[]', '{}'].some(
        ([open = '', close = '']) => text.split(open).length !== text.split(close).length,
      )
    )
  })
  expect(faulty).toEqual([])
})

test('every label that is asked for by its value has such values', async () => {
  const labels = await labelsOfCounters()
  const asked = expressions.flatMap(({ text }) =>
    [...text.matchAll(/(onesixty_\w+)\{(\w+)=~?"([^"]*)"\}/g)].map(([, metric, label, value]) => ({
      metric,
      label,
      value,
    })),
  )
  expect(asked.length).toBeGreaterThan(5)
  for (const { metric = '', label = '', value = '' } of asked) {
    expect(labels.get(metric), `${metric}{${label}}`).toContain(label)
    for (const one of value.split('|')) expect(isValueOf(label, one), `${label} "${one}"`).toBe(true)
  }
})

test('what a rule compares is counted before it has happened once, for nothing can be compared with what is not there', async () => {
  const samples = (await createMetrics().text()).split('\n').filter((line) => line.endsWith(' 0'))
  const compared = rules.flatMap(({ alert, expr }) =>
    [...expr.matchAll(/\bsum\((?:increase|rate)\((onesixty_\w+_total)(?:\{\w+=~?"([^"]*)"\})?/g)].flatMap(
      ([, metric = '', values = '']) => values.split('|').map((value) => ({ alert, metric, value })),
    ),
  )
  expect(compared.length).toBeGreaterThan(8)
  const silent = compared.filter(
    ({ metric, value }) =>
      !samples.some((sample) => sample.startsWith(metric) && sample.includes(`"${value}`)),
  )
  expect(silent.filter(({ metric }) => metric !== 'onesixty_messages_accepted_total')).toEqual([])
  expect(samples).toContain('onesixty_messages_accepted_total 0')
})

test('every label that panels and rules are grouped by is one', async () => {
  const labels = await labelsOfCounters()
  const grouped = expressions.flatMap(({ text }) =>
    [...text.matchAll(/by \(([^)]*)\) \(\w+\((onesixty_\w+)/g)].flatMap(([, names = '', metric = '']) =>
      names.split(', ').map((label) => ({ label, metric })),
    ),
  )
  expect(grouped.length).toBeGreaterThan(10)
  // The instance is Prometheus' own.
  const unknown = grouped.filter(
    ({ label, metric }) => label !== 'instance' && labels.has(metric) && !labels.get(metric)?.includes(label),
  )
  expect(unknown).toEqual([])
})

test('the rule about parked receipts speaks up at half of what is kept', () => {
  const rule = rules.find(({ alert }) => alert === 'OnesixtyUnmatchedReceipts')
  expect(rule?.expr).toContain(`> ${settings.parkedReceipts.default / 2}`)
})

test('the example of a scrape names the rules that lie beside it, and the job that they ask for', () => {
  const scrape = parse(readFileSync(join(deploy, 'prometheus.yml'), 'utf8')) as {
    rule_files: string[]
    scrape_configs: { job_name: string }[]
  }
  expect(scrape.rule_files.filter((file) => !existsSync(join(deploy, file)))).toEqual([])
  const jobs = expressions.flatMap(({ text }) => [...text.matchAll(/job="(\w+)"/g)].map(([, job]) => job))
  expect(new Set(jobs)).toEqual(new Set(scrape.scrape_configs.map(({ job_name }) => job_name)))
})

/** The names of labels by metric, from counters that have counted everything once. */
async function labelsOfCounters(): Promise<Map<string, string[]>> {
  const metrics = createMetrics()
  metrics.accepted(1, 1)
  metrics.refused('not_found')
  metrics.submitted('accepted')
  metrics.advanced('sent')
  metrics.requestEnded('/api/v1/send', 202, 0.001)
  const link = metrics.linkOf('dev_1')
  link.answered('ok', 0.1)
  link.sessionLost()
  const lines = (await metrics.text()).matchAll(/^(onesixty_\w+)\{([^}]*)\}/gm)
  const labels = new Map<string, string[]>()
  for (const [, name = '', pairs = ''] of lines)
    labels.set(
      name,
      [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    )
  return labels
}

const outcomes: Readonly<Record<Outcome['kind'] | 'offered', true>> = {
  accepted: true,
  refused: true,
  partial: true,
  unavailable: true,
  unknown: true,
  offered: true,
}

function isValueOf(label: string, value: string): boolean {
  switch (label) {
    case 'outcome':
      return value in outcomes
    case 'operation':
      return value === '/api/v1/send'
    case 'status':
      return value in moves || /^\d(?:\d\d|\.\.)$/.test(value)
    default:
      return false
  }
}
