/** One thing that the doctor looked at. */
export interface Finding {
  name: string
  ok: boolean
  /** What was found, as a sentence. */
  says: string
  /** What to do about it; null when nothing is to be done. */
  remedy: string | null
  /** Rows that break the rule, at most 20. */
  violations?: readonly object[]
}

export const fine = (name: string, says: string): Finding => ({ name, ok: true, says, remedy: null })
export const wrong = (name: string, says: string, remedy: string): Finding => ({
  name,
  ok: false,
  says,
  remedy,
})

/** What `look` says, or what it threw as what is wrong. */
export async function attempt(name: string, remedy: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return fine(name, await look())
  } catch (error) {
    return wrong(name, error instanceof Error ? error.message : String(error), remedy)
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
