import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { downloadPinned, readPins } from '../../scripts/release/pinned-packages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-pins-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

const pins = { libc6: { version: '2.36-9', sha256: createHash('sha256').update('its bytes').digest('hex') } }

/** A mirror that has one version of libc6. */
const mirrorOf =
  (version: string, bytes: string) =>
  async (...packages: string[]): Promise<string> => {
    for (const each of packages) {
      const [name, wanted] = each.split('=')
      // The words of apt 2.6.
      if (wanted !== version) throw new Error(`E: Version '${wanted}' for '${name}' was not found`)
      await writeFile(join(folder, `${name}_${version}_amd64.deb`), bytes)
    }
    return ''
  }
const fetch = (version: string, bytes: string): Promise<void> =>
  downloadPinned(pins, { download: mirrorOf(version, bytes), folder })

test('an image is built from the packages that its commit names, to the byte', async () => {
  await expect(fetch('2.36-9', 'its bytes')).resolves.toBeUndefined()
  await expect(fetch('2.36-9', 'other bytes')).rejects.toThrow(
    `not ${pins.libc6.sha256}. Pin what it has now`,
  )
})

test('where Debian has replaced a package, the build ends with what to do', async () => {
  await expect(fetch('2.36-10', 'its bytes')).rejects.toThrow(
    /^Debian has no libc6 2\.36-9 any more.*Pin what it has now, and commit that: node scripts\/release\/pinned-packages\.ts\./s,
  )
  const away = () => Promise.reject(new Error('E: Could not resolve host'))
  await expect(downloadPinned(pins, { download: away, folder })).rejects.toThrow('Could not resolve host')
})

test('every package of the image is pinned for both processors', async () => {
  for (const arch of ['amd64', 'arm64']) {
    const found = await readPins(arch)
    expect(Object.keys(found).toSorted()).toEqual(['ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6']) // prettier-ignore
    for (const { version, sha256 } of Object.values(found)) {
      expect(version).toMatch(/^\d/)
      expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    }
  }
  await expect(readPins('riscv64')).rejects.toThrow('no packages for riscv64')
})
