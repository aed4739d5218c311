import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setup as buildConsole } from '../build-console.ts'
import { buildProgram } from '../build-program.ts'
import { type BundledPackage, packagesOf } from './packages.ts'
import { root } from './release.ts'

/** Builds the console and the program into `folder`, and returns the packages that they contain. */
export async function bundle(folder: string): Promise<BundledPackage[]> {
  await buildConsole()
  const ofConsole = JSON.parse(
    await readFile(join(root, 'console/dist/.vite/modules.json'), 'utf8'),
  ) as string[]
  return packagesOf([...(await buildProgram(folder)), ...ofConsole])
}
