import type { Db } from '../storage/dialect.ts'
import { holdsAnything } from '../storage/restore-holds.ts'
import { type Finding, fine } from './finding.ts'

/** Whether a restore holds messages: nothing is wrong then, but somebody has to decide. Silent where nothing is held. */
export async function examineHolds(db: Db): Promise<Finding[]> {
  if (!(await holdsAnything(db))) return []
  const says = 'A restore holds messages back: they are neither sent nor do they expire.'
  const remedy = 'Decide what becomes of them: onesixty restore release, cancel or settle.'
  return [{ ...fine('restore_holds', says), remedy }]
}
