import type { BundledPackage } from './packages.ts'

/**
 * Writes THIRD-PARTY-NOTICES: the licence of each package that is part of the program. Packages with the same texts share a section: a hundred MIT
 * licences differ in their copyright only, but that line must be kept.
 */
export function writeNotices(packages: readonly BundledPackage[]): string {
  const sections = Map.groupBy(packages, ({ licence, texts }) => [licence, ...texts].join('\n\n'))
  const rule = '-'.repeat(80)
  const head = `onesixty contains ${packages.length} packages. Their licences follow.\n`
  const bodies = [...sections].map(([text, members]) =>
    [rule, members.map(({ name, version }) => `${name} ${version}`).join('\n'), '', text, ''].join('\n'),
  )
  return [head, ...bodies].join('\n').replaceAll('\r\n', '\n')
}
