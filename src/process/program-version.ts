import { readProgramFile } from './program-files.ts'

/** The version of this program, from package.json. */
export const programVersion: string = (
  JSON.parse(readProgramFile('package.json').toString()) as { version: string }
).version
