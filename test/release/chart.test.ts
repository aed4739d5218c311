import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartOf } from '../../scripts/release/chart.ts'
import { settings } from '../../src/settings/settings.ts'

// helm and the schemas of Kubernetes are not installed for tests: what can be read without them is compared with the program.

const chart = join(import.meta.dirname, '../../deploy/chart')
const text = (path: string): string => readFileSync(join(chart, path), 'utf8')
const workload = text('templates/statefulset.yaml')

test('the chart and its image have the version of the release', () => {
  expect(parse(chartOf(text('Chart.yaml'), '1.2.3'))).toMatchObject({ version: '1.2.3', appVersion: '1.2.3' })
  expect(() => chartOf(text('Chart.yaml').replace('appVersion: 0.0.0', ''), '1.2.3')).toThrow('Chart.yaml')
})

test('a pod gets longer to stop than the program drains, and its ports and paths are those of the program', () => {
  const grace = Number(/terminationGracePeriodSeconds: (\d+)/.exec(workload)?.[1])
  expect(grace).toBeGreaterThan(settings.drainTimeoutMs.default / 1000)
  expect(workload).toContain(`containerPort: ${settings.port.default} `)
  expect([...workload.matchAll(/path: (\/\w+)/g)].map(([, path]) => path)).toEqual([
    '/healthz',
    '/healthz',
    '/readyz',
  ])
})

test('a pod has no more rights than the program needs', () => {
  for (const line of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false', 'capabilities: { drop: [ALL] }', 'automountServiceAccountToken: false', 'enableServiceLinks: false'])
    expect(workload).toContain(line)
}) // prettier-ignore

test('every value that a template names has a default', () => {
  const values = parse(text('values.yaml')) as object
  const named = globSync('templates/*', { cwd: chart }).flatMap((file) =>
    [...text(file).matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path),
  )
  expect(named.length).toBeGreaterThan(15)
  const isKnown = (path: string): boolean =>
    path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values) !== undefined
  expect(named.filter((path) => !isKnown(path))).toEqual([])
})

test('several replicas without a database that they share are refused', () => {
  expect(text('templates/_names.tpl')).toMatch(/gt \(int \.Values\.replicas\) 1.*database\.existingSecret/)
  expect(workload.startsWith('{{- include "onesixty.refuse" . -}}')).toBe(true)
})
