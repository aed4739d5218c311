import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { differing } from '../../scripts/release/check/again-check.ts'
import { allChecks, type Choice, checksOf, refuseUnknown } from '../../scripts/release/check/checks.ts'
import { firstOf } from '../../scripts/release/check/image-check.ts'
import { otherProgramFiles } from '../../scripts/release/check/program-mappings.ts'
import { expectScraped, type KubernetesObject } from '../../scripts/release/check/service-monitor.ts'
import { blackBoxSuites } from '../../scripts/release/check/suites-check.ts'

const root = join(import.meta.dirname, '../..')
const none: Choice = { parts: [], without: [], with: [] }

test('a part or a check that is misspelt is refused, not left out', () => {
  expect(() => refuseUnknown({ ...none, parts: ['npm', '--without'] })).toThrow(`Unknown part: '--without'.`)
  expect(() => refuseUnknown({ ...none, without: ['helm'] })).toThrow(`Unknown check to leave out: 'helm'.`)
  expect(() => refuseUnknown({ ...none, with: ['suite'] })).toThrow('Possible are sums, again, npm')
  expect(() => refuseUnknown({ parts: ['deb'], without: ['upgrade'], with: ['suites'] })).not.toThrow()
  const names = allChecks().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(checksOf([]).map(({ name }) => name)).toEqual(['sums', 'again'])
})

test.for([
  ['scripts/release/main.ts', '--only=npm', '--check', '--without=helm'],
  ['scripts/release/main.ts', '--only=npm', '--without=suites'],
  ['scripts/release/main.ts', '--only=nmp'],
])('before anything is built or removed, npm run release refuses: %j', async ([file = '', ...args]) => {
  const run = promisify(execFile)(process.execPath, [join(root, file), ...args])
  await expect(run).rejects.toThrow(/Unknown|are for --check/)
})

// proc_pid_task_children(5): numbers with a space behind each, and nothing where there is no child.
test('a container without a first process has none to signal: 0 is the group of who asks', () => {
  expect(['', '\n', ' '].map(firstOf)).toEqual([null, null, null])
  expect(firstOf('4711 4712 ')).toBe(4711)
})

// Lines of proc_pid_maps(5) as Linux 6 writes them.
const maps = `55d0c8a00000-55d0c8c00000 r-xp 00000000 00:2f 21                         /tmp/tree/onesixty
7f10a0000000-7f10a0021000 rw-p 00000000 00:00 0
7f10b4200000-7f10b4400000 r-xp 00000000 00:2f 30                         /tmp/tree/lib/x86_64-linux-gnu/libc.so.6
7ffc1a5d0000-7ffc1a5f1000 rw-p 00000000 00:00 0                          [stack]
`
const of = (more: string, opened: string[] = []) => otherProgramFiles({ maps: maps + more, opened, root: '/tmp/tree' }) // prettier-ignore

test('a program that was extracted, mapped and removed is found, as is one that is open', () => {
  expect(of('')).toEqual([])
  const line =
    '7f10b4600000-7f10b4800000 r-xp 00000000 00:2f 44                         /tmp/tree/tmp/sqlite.node'
  expect(of(`${line}\n`)).toEqual(['/tmp/sqlite.node'])
  expect(of(`${line} (deleted)\n`)).toEqual(['/tmp/sqlite.node (deleted)'])
  expect(of('', ['/tmp/tree/tmp/main.js (deleted)', 'socket:[1]', '/tmp/tree/onesixty'])).toEqual(['/tmp/main.js (deleted)']) // prettier-ignore
  expect(of('', ['/tmp/tree/opt/onesixty'])).toEqual(['/opt/onesixty'])
  expect(of('', ['/tmp/tree/tmp/data/onesixty.db', '/tmp/tree/tmp/data/onesixty.db-wal (deleted)'])).toEqual(
    [],
  )
})

const labels = { 'app.kubernetes.io/name': 'onesixty', 'app.kubernetes.io/component': 'nodes' }
const service: KubernetesObject = { kind: 'Service', metadata: { name: 'sms-nodes', labels }, spec: { ports: [{ name: 'http' }] } } // prettier-ignore
const monitorOf = (spec: object): KubernetesObject => ({
  kind: 'ServiceMonitor',
  metadata: { name: 'sms' },
  spec: { selector: { matchLabels: labels }, endpoints: [{ port: 'http', path: '/metrics' }], ...spec },
})

test('a monitor that finds no service, two of them, or another port is refused', () => {
  expect(() => expectScraped([service, monitorOf({})])).not.toThrow()
  const other = { ...service, metadata: { name: 'sms', labels } }
  for (const [objects, words] of [
    [[service], '0 ServiceMonitors'],
    [[service, other, monitorOf({})], 'finds 2 services'],
    [[service, monitorOf({ selector: { matchLabels: { app: 'x' } } })], 'finds 0 services'],
    [[service, monitorOf({ selector: { matchLabels: {} } })], 'finds 0 services'],
    [[service, monitorOf({ endpoints: [{ port: 'metrics', path: '/metrics' }] })], 'of the ports http'],
    [[service, monitorOf({ endpoints: [] })], 'of the ports http'],
    [[service, monitorOf({ endpoint: [] })], 'has endpoint, which'],
  ] as const)
    expect(() => expectScraped(objects)).toThrow(words)
})

test('two builds differ where a sum does, or where one has an artefact more', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64))
  expect(differing(`${a}  x.deb\n${b}  y.tgz\n`, `${b}  y.tgz\n${a}  x.deb\n`)).toEqual([])
  expect(differing(`${a}  x.deb\n${b}  y.tgz\n`, `${c}  x.deb\n${b}  y.tgz\n`)).toEqual(['x.deb'])
  expect(differing(`${a}  x.deb\n`, `${a}  x.deb\n${b}  y.tgz\n`)).toEqual(['y.tgz'])
  expect(() => differing('', '')).toThrow('empty')
})

test('the suites for a package are those that start the program as a process', async () => {
  const suites = await blackBoxSuites()
  expect(suites).toEqual(expect.arrayContaining(['test/crash/kill-9.test.ts', 'test/crash/postgres/four-nodes.test.ts', 'test/e2e/ten-minutes.test.ts', 'test/deployment/started-server.test.ts'])) // prettier-ignore
  expect(suites.filter((file) => /^test\/(?:unit|release)\//.test(file))).toEqual([])
})
