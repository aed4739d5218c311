import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import type { BundledPackage } from './packages.ts'
import { describeRelease, type Release, revisionOf, uncommitted } from './release.ts'

/** Something else than a package that an artefact contains: Node.js, or a library of the distribution. */
export interface OtherComponent {
  type: 'platform' | 'library'
  name: string
  version: string
  purl: string
  licence?: string
}

/** The Node.js in executables, Debian packages and images: that of the lockfile. */
export const nodeComponent = (): OtherComponent => ({
  type: 'platform',
  name: 'node',
  version: process.versions.node,
  purl: `pkg:generic/node@${process.versions.node}`,
  licence: 'MIT, with the licences of its LICENSE',
})

/** A package of Debian of which the image contains files. */
export const debianComponent = ({
  name,
  version,
  arch,
}: {
  name: string
  version: string
  arch: string
}): OtherComponent => ({
  type: 'library',
  name,
  version,
  purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}`,
})

/**
 * Writes the bill of materials of the program as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): every package of the bundle, and `others`, by the
 * artefacts that contain them. The serial number follows from the content, so that one commit gives one document.
 */
export function writeSbom(
  { version, commit, epochS }: Pick<Release, 'version' | 'commit' | 'epochS'>,
  packages: readonly BundledPackage[],
  others: readonly OtherComponent[] = [],
): string {
  const components = [...packages.map(describePackage), ...others.map(describeOther)]
  const serial = createHash('sha256')
    .update(JSON.stringify([revisionOf({ version, commit }), components]))
    .digest('hex')
  const self = `pkg:npm/onesixty@${version}`
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(serial)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epochS * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'onesixty',
        version,
        purl: self,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'onesixty:commit', value: revisionOf({ version, commit }) }],
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function describePackage({ name, version, licence, integrity }: BundledPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, hash = ''] = integrity.split('-')
  if (algorithm !== 'sha512') throw new Error(`The integrity of ${name} is no SHA-512.`)
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [/ /.test(licence) ? { expression: licence } : { license: { id: licence } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
  }
}

const describeOther = ({ type, name, version, purl, licence }: OtherComponent) => ({
  type,
  'bom-ref': purl,
  name,
  version,
  purl,
  ...(licence === undefined ? {} : { licenses: [{ license: { name: licence } }] }),
})

/** A UUID of version 8, whose bits an application may choose (RFC 9562 section 5.8). */
const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`

// npm run sbom
if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-sbom-'))
  try {
    const changed = (await uncommitted()) !== ''
    const release = { ...(await describeRelease(folder, { changed })), program: join(folder, 'program') }
    process.stdout.write(writeSbom(release, await bundle(release)))
  } finally {
    await rm(folder, { recursive: true })
  }
}
