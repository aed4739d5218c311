/** The part of an address that a step tries. */
export type ReachPart = 'name' | 'route' | 'port' | 'certificate' | 'path'

/** What one step found. */
export interface ReachStep {
  part: ReachPart
  isOk: boolean
  summary: string
  /** What to do; null when there is nothing to do. */
  remedy: string | null
}

/** A step, and what the next one needs; null when the address ends here. */
export interface Stage<T> {
  step: ReachStep
  found: T | null
}

export const passed = <T>(
  part: ReachPart,
  found: T,
  summary: string,
  remedy: string | null = null,
): Stage<T> => ({
  step: { part, isOk: true, summary, remedy },
  found,
})

export const stopped = (part: ReachPart, summary: string, remedy: string): Stage<never> => ({
  step: { part, isOk: false, summary, remedy },
  found: null,
})

/** Returns the code of a system or TLS error, for a summary. */
export const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? (error as Error | null)?.message ?? 'unknown'
