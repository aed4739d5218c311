import { join } from 'node:path'
import { debianVersion, type Release } from '../release.ts'
import type { Tool } from './run-checks.ts'

/** Artefacts of one release, to look at. */
export interface Artefacts extends Pick<Release, 'version' | 'commit' | 'out'> {
  /** The parts that were built (`--only`), or those of them that are checked. */
  parts: readonly string[]
  /** A folder for what checks unpack, which is removed. */
  scratch: string
}

/** Returns the path of an artefact: `file(on, '-linux-x64')`. */
export const artefact = ({ out, version }: Artefacts, rest: string): string =>
  join(out, `onesixty-${version}${rest}`)

export const debianPackage = ({ out, version }: Artefacts, arch: string): string =>
  join(out, `onesixty_${debianVersion(version)}-1_${arch}.deb`)

/** Returns what `onesixty version` says in a release of this Node.js. */
export const versionLine = (
  { version, commit }: Artefacts,
  form: 'package' | 'one file',
  node = process.versions.node,
): string => `onesixty ${version} (${form}, ${commit.slice(0, 8)}, Node.js ${node})`

const ofDebian = (name: string, packageName = name): Tool => ({
  name,
  install: `apt-get install ${packageName}`,
})

export const tools = {
  curl: ofDebian('curl'),
  git: ofDebian('git'),
  openssl: ofDebian('openssl'),
  sha256sum: ofDebian('sha256sum', 'coreutils'),
  crane: {
    name: process.env['CRANE'] ?? 'crane',
    install: 'go install github.com/google/go-containerregistry/cmd/crane@v0.22.1',
  },
  unshare: ofDebian('unshare', 'util-linux'),
  dpkg: ofDebian('dpkg'),
  lintian: ofDebian('lintian'),
  qemu: ofDebian('qemu-aarch64-static', 'qemu-user-static'),
  systemd: ofDebian('systemd-analyze', 'systemd'),
  helm: { name: 'helm', install: 'go install helm.sh/helm/v3/cmd/helm@v3.22.0' },
  kubernetesValidate: { name: 'kubernetes-validate', install: 'pip install kubernetes-validate==1.37.0' },
} as const satisfies Record<string, Tool>
