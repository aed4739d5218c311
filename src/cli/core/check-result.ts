/** The result of one check of the doctor. */
export interface CheckResult {
  name: string
  ok: boolean
  /** The result as a sentence. */
  summary: string
  /** How to fix it; null when nothing needs to be done. */
  remedy: string | null
  /** Rows that violate the rule, up to 20. */
  violations?: readonly object[]
}

export const fine = (name: string, summary: string): CheckResult => ({
  name,
  ok: true,
  summary,
  remedy: null,
})
export const wrong = (name: string, summary: string, remedy: string): CheckResult => ({
  name,
  ok: false,
  summary,
  remedy,
})

/** Runs `check`: the check passes with the sentence that it returns, or fails with the error that it throws. */
export async function runCheck(
  name: string,
  remedy: string,
  check: () => Promise<string>,
): Promise<CheckResult> {
  try {
    return fine(name, await check())
  } catch (error) {
    return wrong(name, error instanceof Error ? error.message : String(error), remedy)
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
