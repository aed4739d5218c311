import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeProvenance } from '../../scripts/release/provenance.ts'
import { debianVersion, describeRelease, isDirty, revisionOf } from '../../scripts/release/release.ts'
import { writeSbom } from '../../scripts/release/sbom.ts'

const commit = 'c'.repeat(40)

test('a build with changes says so in its version, and names no commit as what it is', async () => {
  const [clean, changed] = await Promise.all([
    describeRelease('/x'),
    describeRelease('/x', { changed: true }),
  ])
  expect([isDirty(clean.version), isDirty(changed.version)]).toEqual([false, true])
  expect(changed.version).toBe(`${clean.version}-dirty`)
  expect([clean, changed].map(revisionOf)).toEqual([clean.commit, `${clean.commit}-dirty`])
})

test('provenance and bill of materials of such a build state no commit', async () => {
  const out = await mkdtemp(join(tmpdir(), 'onesixty-version-'))
  onTestFinished(() => rm(out, { recursive: true }))
  await writeFile(join(out, 'a.tgz'), 'a')
  const of = { version: '1.2.3-dirty', commit, out }
  const text = await readFile(
    await writeProvenance(of, { files: [join(out, 'a.tgz')], parts: ['npm'] }),
    'utf8',
  )
  expect(text).not.toContain('gitCommit')
  const { predicate } = JSON.parse(text) as { predicate: { buildDefinition: object } }
  expect(predicate.buildDefinition).toMatchObject({
    externalParameters: { version: '1.2.3-dirty' },
    resolvedDependencies: expect.arrayContaining([
      { name: 'onesixty', annotations: { changedSince: commit } },
    ]),
  })
  expect(writeSbom({ ...of, epochS: 1 }, [])).toContain(`"value": "${commit}-dirty"`)
})

const hasDpkg = spawnSync('dpkg', ['--version']).status === 0

test.skipIf(!hasDpkg)('dpkg orders a build with changes, and a candidate, before the version itself', () => {
  expect(debianVersion('1.2.3')).toBe('1.2.3')
  for (const version of ['1.2.3-dirty', '1.2.3-rc.1', '1.2.3-rc.1-dirty'])
    expect(() => execFileSync('dpkg', ['--compare-versions', `${debianVersion(version)}-1`, 'lt', '1.2.3-1'])).not.toThrow() // prettier-ignore
})
