import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packArchive } from './archive.ts'
import { type Release, root } from './release.ts'

/** Returns Chart.yaml with the version of a release. Throws if it has other members than those that are replaced. */
export function chartOf(text: string, version: string): string {
  const filled = text.replace(/^((?:appVersion|version): )0\.0\.0$/gm, `$1${version}`)
  if (filled.split(version).length !== 3)
    throw new Error('deploy/chart/Chart.yaml names other versions than 0.0.0.')
  return filled
}

/**
 * Writes the Helm chart `onesixty-chart-<version>.tgz` and returns its path. Packed as all archives are: `helm package` would write the time of now into
 * it.
 */
export async function buildChart({ version, epochS, out, work }: Release): Promise<string> {
  const folder = join(work, 'chart')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await cp(join(root, 'deploy/chart'), join(folder, 'onesixty'), { recursive: true })
  const file = join(folder, 'onesixty/Chart.yaml')
  await writeFile(file, chartOf(await readFile(file, 'utf8'), version))
  const archive = join(out, `onesixty-chart-${version}.tgz`)
  await packArchive(archive, { folder, members: ['onesixty'], epochS })
  return archive
}
