import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setup as buildConsole } from '../build-console.ts'
import { buildProgram } from '../build-program.ts'
import { type BundledPackage, packagesOf } from './packages.ts'
import { type Release, root } from './release.ts'

/** Builds the console and the program of a commit into `folder`, and returns the packages that they contain. */
export async function bundle({
  program,
  version,
  commit,
}: Pick<Release, 'program' | 'version' | 'commit'>): Promise<BundledPackage[]> {
  await buildConsole()
  const ofConsole = JSON.parse(
    await readFile(join(root, 'console/dist/.vite/modules.json'), 'utf8'),
  ) as string[]
  return packagesOf([...(await buildProgram(program, { version, commit })), ...ofConsole])
}
