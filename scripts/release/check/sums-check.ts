import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../release.ts'
import { type Artefacts, tools } from './artefacts.ts'
import type { Check } from './run-checks.ts'

/** `sha256sum` accepts SHA256SUMS, which names every artefact; a signature, if there is one, is verified as people do (SECURITY.md). */
export const sumsCheck: Check<Artefacts> = {
  name: 'sums',
  needs: [tools.sha256sum, tools.openssl],
  async run({ out, scratch }) {
    await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out })
    const named = namesIn(await readFile(join(out, 'SHA256SUMS'), 'utf8'))
    const files = (await readdir(out, { withFileTypes: true })).filter((entry) => entry.isFile())
    const unnamed = files
      .map(({ name }) => name)
      .filter((name) => !named.includes(name) && !name.startsWith('SHA256SUMS'))
    if (unnamed.length > 0) throw new Error(`SHA256SUMS does not name ${unnamed.join(', ')}.`)
    return `${named.length} artefacts; ${await verifySignature(out, scratch)}`
  },
}

/** Returns the names of the artefacts that a file of sums lists. */
const namesIn = (sums: string): string[] =>
  sums
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(66))

async function verifySignature(out: string, scratch: string): Promise<string> {
  const isSigned = (await readdir(out)).includes('SHA256SUMS.sig')
  if (!isSigned) return 'not signed'
  const keyFile = process.env['RELEASE_KEY_FILE'] ?? ''
  if (keyFile === '')
    throw new Error('SHA256SUMS.sig cannot be verified: set RELEASE_KEY_FILE as for the build.')
  const publicKey = join(scratch, 'release-key.pem')
  await run('openssl', ['pkey', '-in', keyFile, '-pubout', '-out', publicKey])
  const verify = [
    'pkeyutl',
    '-verify',
    '-pubin',
    '-inkey',
    publicKey,
    '-rawin',
    '-in',
    join(out, 'SHA256SUMS'),
  ]
  await run('openssl', [...verify, '-sigfile', join(out, 'SHA256SUMS.sig')])
  return 'openssl verified the signature'
}
