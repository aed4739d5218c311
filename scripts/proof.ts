import type { ProofSize } from '../test/proof-sizes.ts'

/** Something that is promised to hold under fault, and the tests that show it: a row of docs/reliability.md and of `npm run prove`. */
export interface Proof {
  /** What `npm run prove -- --only NAME` calls it. */
  name: string
  /** What holds, and against what. */
  summary: string
  /** Projects of vitest.config.ts. */
  projects: readonly string[]
  files: readonly string[]
  /** A program in the place of tests, for what is too long for `npm test` at any size: 0 is its word that it holds. */
  script?: string
  /** It holds to times: no other such proof runs beside it. */
  isTimed?: boolean
  /** It holds to memory, which is collected later where the processor is shared: nothing runs beside it. */
  isAlone?: boolean
  /** What of test/proof-sizes.ts makes it longer; without any the whole proof runs in `npm test` already. */
  sizes: readonly ProofSize[]
  /** Bugs of test/planted/ that it must catch. Each bug belongs to one proof. */
  catches: readonly string[]
}

/** Projects of Vitest: a file runs in those of them that it is in. */
export const embedded = ['unit', 'sqlite']
export const both = [...embedded, 'postgres']
