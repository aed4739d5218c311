import { readFileSync } from 'node:fs'
import { programFile } from './program-files.ts'

/** The version of this program, from package.json. */
export const programVersion: string = (
  JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as { version: string }
).version
