import fc from 'fast-check'
import { inject } from 'vitest'

/**
 * Gives every property of a run the same seed in each project, so that what is tried at random on SQLite is tried on PostgreSQL too: else a
 * statement that few requests make is seen on one of them alone (test/statements). fast-check prints the seed with each failure.
 */
declare module 'vitest' {
  interface ProvidedContext {
    propertySeed: number
  }
}

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: inject('propertySeed') })
