import type { Db } from '../../storage/seam/dialect.ts'
import { holdsAnything } from '../../storage/instance/restore-holds.ts'
import { type CheckResult, fine } from '../core/check-result.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Reports messages that a restore holds: the check passes, but the operator must decide. Empty when none are held. */
export async function examineHolds(db: Db): Promise<CheckResult[]> {
  if (!(await holdsAnything(db))) return []
  const summary = 'Messages are held after a restore: they are not sent and do not expire.'
  const remedy = `Decide: ${ownCommand()} restore release, cancel or settle.`
  return [{ ...fine('restore_holds', summary), remedy }]
}
