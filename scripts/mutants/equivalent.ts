import type { Mutant } from './mutants.ts'

/** A change by which nothing changes that anybody could see, or that no test here can: it does not count. */
export interface Equivalent {
  file: string
  code: string
  /** The beginning of `Mutant.change` is enough. */
  change: string
  because: string
}

export const equivalents: readonly Equivalent[] = []

export const reasonOf = ({ file, code, change }: Pick<Mutant, 'file' | 'code' | 'change'>): string | null =>
  equivalents.find((each) => each.file === file && each.code === code && change.startsWith(each.change))
    ?.because ?? null
