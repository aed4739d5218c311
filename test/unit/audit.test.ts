import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Accepted, askNpm, findFaults, type Lockfile, pathsTo, readAnswer } from '../../scripts/audit.ts'
import lockfile from './audits/lockfile.json' with { type: 'json' }
import none from './audits/none.json' with { type: 'json' }
import unasked from './audits/unasked.json' with { type: 'json' }
import vulnerable from './audits/vulnerable.json' with { type: 'json' }

// What npm 11 wrote about the packages of `audits/lockfile.json` for several answers of a registry.

const today = '2026-11-26'
const lock: Lockfile = lockfile
const judge = (said: object, list: readonly Accepted[] = [], of = lock): string[] =>
  findFaults(readAnswer(JSON.stringify(said)), { lock: of, list, today })
const accept = (advisory: string, until = '2026-12-31'): Accepted => ({ advisory, until, reason: 'x' })

test('a vulnerability fails with its severity, its advisory, its path and its fix', () => {
  expect(judge(vulnerable).join('\n')).toBe(`\
brace-expansion (low): brace-expansion Regular Expression Denial of Service vulnerability
  advisory  https://github.com/advisories/GHSA-v6h2-p8h4-qcjw
  path      minimatch 3.0.4 > brace-expansion 1.1.11
  fix       npm exec -c 'npm update brace-expansion'
ip (high): ip SSRF improper categorization in isPublic
  advisory  https://github.com/advisories/GHSA-2p57-rm9w-gvfp
  path      ip 2.0.1
  fix       none yet: remove the dependency, or accept the advisory in scripts/audit.ts
minimist (critical): Prototype Pollution in minimist
  advisory  https://github.com/advisories/GHSA-xvch-5gv4-984h
  path      mkdirp 0.5.1 > minimist 0.0.8
  fix       npm exec -c 'npm install --save-exact mkdirp@0.5.6'
minimist (moderate): Prototype Pollution in minimist
  advisory  https://github.com/advisories/GHSA-vh95-rmgr-6w4m
  path      mkdirp 0.5.1 > minimist 0.0.8
  fix       npm exec -c 'npm install --save-exact mkdirp@0.5.6'
nodemailer (moderate): Nodemailer: Email to an unintended domain can occur due to Interpretation Conflict
  advisory  https://github.com/advisories/GHSA-mm7p-fcc7-pg87
  path      nodemailer 7.0.6
  fix       npm exec -c 'npm install --save-exact nodemailer@7.0.13'
nodemailer (high): Nodemailer's addressparser is vulnerable to DoS caused by recursive calls
  advisory  https://github.com/advisories/GHSA-rcmh-qjqh-p98v
  path      nodemailer 7.0.6
  fix       npm exec -c 'npm install --save-exact nodemailer@7.0.13'`)
})

test('a fix says whose dependency changes, and whether that is a major version', () => {
  const { ip } = vulnerable.vulnerabilities
  const fixAvailable = { name: 'vite', version: '9.0.1', isSemVerMajor: true }
  const report = { ...vulnerable, vulnerabilities: { ip: { ...ip, fixAvailable } } }
  const withConsole = { packages: { ...lock.packages, console: { devDependencies: { vite: '8.3.8' } } } }
  expect(judge(report, [], withConsole)[0]).toContain(
    "npm install --save-exact -w console vite@9.0.1' (a major version: read its changelog)",
  )
})

test('no vulnerability is no fault', () => {
  expect(readAnswer(JSON.stringify(none))).toEqual({ vulnerable: [] })
  expect(judge(none)).toEqual([])
})

describe('a registry that was not asked', () => {
  test.each(Object.entries(unasked))('is told from one that knows nothing: %s', (_, said) => {
    expect(readAnswer(JSON.stringify(said))).toEqual({ unasked: said.message })
    expect(judge(said, [accept('GHSA-xvch-5gv4-984h')])).toEqual([])
  })

  test.each([
    [
      'no lockfile',
      JSON.stringify({ error: { code: 'ENOLOCK', summary: 'This command requires an existing lockfile.' } }),
    ],
    ['the report of another npm', JSON.stringify({ actions: [], advisories: {}, muted: [], metadata: {} })],
    ['a report without its list', JSON.stringify({ auditReportVersion: 2 })],
    ['no JSON', 'npm error code EUSAGE'],
    ['nothing', ''],
  ])('is told from an npm that does not work: %s', (_, said) => {
    expect(() => readAnswer(said)).toThrow('npm audit returned no report')
  })
})

describe('an accepted advisory', () => {
  const ids = ['v6h2-p8h4-qcjw', '2p57-rm9w-gvfp', 'xvch-5gv4-984h', 'vh95-rmgr-6w4m', 'mm7p-fcc7-pg87']
  const allButOne = ids.map((id) => accept(`GHSA-${id}`))
  const last = 'GHSA-rcmh-qjqh-p98v'

  test('does not fail, whatever else does', () => {
    expect(judge(vulnerable, allButOne)).toEqual([expect.stringContaining(last)])
    for (const day of [today, '2027-02-26'])
      expect(judge(vulnerable, [...allButOne, accept(last, day)]), day).toEqual([])
  })

  test('fails again after its last day', () => {
    const faults = judge(vulnerable, [...allButOne, accept(last, '2026-11-25')])
    expect(faults).toEqual([
      expect.stringContaining(`advisories/${last}`),
      `${last} is accepted until 2026-11-25: not a day of the next 92 days`,
    ])
  })

  test.each(['2027-02-27', '2026-12-31x', ''])(
    'has a day of the next three months, which %j is not',
    (until) => {
      const entry = accept(last, until)
      expect(judge(vulnerable, [...allButOne, entry]).at(-1)).toContain('not a day of the next 92 days')
      expect(judge(unasked.refused, [entry])).toHaveLength(1)
    },
  )

  test('fails when nothing matches it', () => {
    expect(judge(none, [accept(last)])).toEqual([`${last} is accepted, but no package of production has it`])
  })
})

test('every package that npm installs for production has a path', async () => {
  const own = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; dev?: true; link?: true }>
  }
  const installed = Object.entries(own.packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    .map(([place]) => place)
  expect(installed.length).toBeGreaterThan(100)
  expect([...pathsTo(own).keys()].toSorted()).toEqual(installed.toSorted())
})

describe('npm', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onesixty-npm-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const npmThat = async (does: string): Promise<string> => {
    const path = join(folder, 'npm')
    await writeFile(path, `#!/bin/sh\n${does}\n`)
    await chmod(path, 0o755)
    return path
  }

  test('is asked about production, offline or not, and its report read whatever its exit code', async () => {
    expect(await askNpm(await npmThat('echo "$@"; exit 1'))).toMatch(/^audit --omit=dev --json --no-offline /)
    expect(await askNpm(await npmThat('echo broken >&2; exit 7'))).toBe('broken\n')
  })

  test('is ended when it waits for a registry, and that is no report', async () => {
    expect(await askNpm(await npmThat('exec tail -f /dev/null'), 100)).toBe(null)
    expect(readAnswer(null)).toEqual({ unasked: 'no answer within 30 s' })
  })

  test('fails where it is missing or was killed', async () => {
    await expect(askNpm(join(folder, 'no-npm'))).rejects.toThrow('ENOENT')
    await expect(askNpm(await npmThat('kill -9 $$'))).rejects.toThrow('Command failed')
  })
})
