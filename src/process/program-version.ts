import { programForm, readProgramFile } from './program-files.ts'

interface Manifest {
  version: string
  /** The commit that a release was built from; a checkout and a build by hand name none. */
  commit?: string
}

const { version, commit } = JSON.parse(readProgramFile('package.json').toString()) as Manifest

/** The version of this program, from package.json. */
export const programVersion: string = version

/** The commit that this program was built from; null where it is no release. */
export const programCommit: string | null = commit ?? null

/** Says which program this is: `0.4.0 (one file, 2d1086bc, Node.js 24.21.0)`. */
export function describeProgram(): string {
  const shortCommit = programCommit === null ? [] : [programCommit.slice(0, 8)]
  return `${programVersion} (${[programForm, ...shortCommit, `Node.js ${process.versions.node}`].join(', ')})`
}
