import { isRecord } from '../route.ts'
import type { Report } from '../ports.ts'
import type { LocalApi } from './local-api.ts'
import { missingMarks } from './plan.ts'

export interface LostDeps {
  api: Pick<LocalApi, 'settings' | 'patchSettings'>
  /** The unfinished attempts that the phone was offered. */
  held: () => Promise<readonly string[]>
  report: (reports: readonly Report[]) => Promise<void>
  log: (message: string) => void
}

/** An unrecognised text is an unknown outcome, so that nothing is sent again on a guess (P6). */
const lostText = 'The data of the app were cleared, or its settings reset.'
/** Rounds of at most 1,000 attempts. */
const maxRounds = 100

/**
 * Returns whether the phone still has the data that it had when the first message was submitted to it. If its
 * settings are not the ones set by this service, its memory of IDs may be gone too: then every unfinished attempt except
 * `fresh` ends with an unknown outcome, and only afterwards the settings are set again.
 */
export async function keepsData(deps: LostDeps, fresh: ReadonlySet<string>): Promise<boolean> {
  const { api, held, report, log } = deps
  const { messages } = await api.settings()
  const missing = missingMarks(isRecord(messages) ? messages : {})
  if (missing === null) return true
  for (let round = 0; round < maxRounds; round++) {
    const lost = (await held()).filter((attemptId) => !fresh.has(attemptId))
    if (lost.length === 0) break
    log(`the data of a phone were cleared: ${lost.length} messages end with an unknown outcome`)
    await report(lost.map((attemptId) => ({ attemptId, state: 'failed', error: lostText })))
  }
  await api.patchSettings({ messages: missing })
  return false
}
