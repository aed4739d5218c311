import { failureOf, type Reach } from '../../reach/reach.ts'
import type { GuideOutcome } from './connect-guide.ts'

/** Returns the outcome of a try that succeeded. */
export const succeeded = (summary: string): GuideOutcome => ({ isOk: true, summary, remedy: null })

/** Returns the outcome of a try that failed, and what to do about it. */
export const failed = (summary: string, remedy: string | null = null): GuideOutcome => ({
  isOk: false,
  summary,
  remedy,
})

/** Returns the outcome of a try of the address of phones: its first step that failed, or `reached`. */
export function outcomeOfReach(reach: Pick<Reach, 'steps'>, reached: string): GuideOutcome {
  const failure = failureOf(reach)
  return failure === null ? succeeded(reached) : failed(`${failure.part}: ${failure.summary}`, failure.remedy)
}
