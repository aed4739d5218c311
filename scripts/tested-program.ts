import { join } from 'node:path'

/** The servers that tests and proofs start are of this build, unless ONESIXTY_PROGRAM names another: it is ready in half the time of the checkout. */
export const testedProgram = join(import.meta.dirname, '..', 'node_modules', '.cache', 'onesixty', 'program')

/** Makes it, with the console as it is built. */
export const buildTestedProgram = [
  'scripts/build-program.ts',
  testedProgram,
  'timed-program=test/timed-program.ts',
] as const
