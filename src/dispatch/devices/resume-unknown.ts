import { isPull, type Link, type Pull } from '../../connectors/connector.ts'
import { readUnknownAttempts } from '../../messages/outcomes/unknown-attempts.ts'
import { dayMs } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/** The last look-up of a submission is a day after its end. */
const maxAgeMs = dayMs
/** As many as a link looks up again; at 5 a second they take half an hour. */
const most = 10_000

/** Passes to a link what former ones submitted with an unknown outcome, if it can ask for it. */
export async function resumeUnknown(
  db: Db,
  { deviceId, nowMs }: { deviceId: string; nowMs: number },
  link: Link | Pull,
): Promise<void> {
  if (isPull(link) || link.resumeUnknown === undefined) return
  const past = await readUnknownAttempts(db, { deviceId, sinceMs: nowMs - maxAgeMs, most })
  if (past.length > 0) link.resumeUnknown(past)
}
