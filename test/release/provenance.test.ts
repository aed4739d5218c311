import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeProvenance } from '../../scripts/release/provenance.ts'

const commit = 'c'.repeat(40)
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Writes the statement of two artefacts in a folder of its own. */
async function write(): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'onesixty-provenance-'))
  onTestFinished(() => rm(out, { recursive: true }))
  const files = ['b.deb', 'a.tgz'].map((name) => join(out, name))
  for (const file of files) await writeFile(file, file.slice(-5))
  return readFile(await writeProvenance({ version: '1.2.3', commit, out }, { files, parts: ['npm'] }), 'utf8')
}

// Members that in-toto (Statement v1) and SLSA (Provenance v1) require: https://slsa.dev/spec/v1.0/provenance.
test('the statement names the commit, the lockfile and the digest of each artefact', async () => {
  const lockfile = await readFile(join(import.meta.dirname, '../../package-lock.json'))
  expect(JSON.parse(await write())).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'a.tgz', digest: { sha256: sha256('a.tgz') } },
      { name: 'b.deb', digest: { sha256: sha256('b.deb') } },
    ],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: expect.stringMatching(/^tag:onesixty,/),
        externalParameters: { version: '1.2.3', commit, parts: ['npm'] },
        internalParameters: {},
        resolvedDependencies: [
          { name: 'onesixty', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(lockfile) } },
          { name: 'node', uri: `pkg:generic/node@${process.versions.node}` },
        ],
      },
      runDetails: { builder: { id: expect.stringMatching(/^tag:onesixty,/) } },
    },
  })
})

test('it is the same wherever and whenever it is written', async () => {
  expect(await write()).toBe(await write())
})
