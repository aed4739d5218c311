import { type Fault, refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { hourMs, minuteMs } from '../../runtime/clock.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'

export interface NewCanary {
  /** Must own both devices, or one of them while the other is shared; null: both are shared. */
  accountId: string | null
  fromDevice: string
  toDevice: string
  /** The number of the receiving device, in E.164. */
  recipient: string
  sender: string | null
  sim: number | null
  everyMs: number
  actor: string
}

/** Two runs that are lost end within two intervals; shorter ones would cost more than they tell. */
const shortestEveryMs = 30 * minuteMs
const longestEveryMs = 7 * 24 * hourMs
export const maxCanaries = 1_000

/** Adds a canary, whose first run is due now. Rejects devices that are not there or not of the account, and bad numbers. */
export async function addCanary(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { actor, ...canary }: NewCanary,
): Promise<string> {
  const owners = [await ownerOf(tx, canary.fromDevice), await ownerOf(tx, canary.toDevice)]
  const faults = faultsOf(canary, owners)
  if (faults.length > 0) throw invalidInput(faults)
  const { count } = await tx
    .selectFrom('canaries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= maxCanaries)
    throw invalidInput([{ code: 'too_many_items', detail: `Maximum of ${maxCanaries} canaries reached. Remove one first.` }]) // prettier-ignore
  const id = deps.ids('can')
  const { accountId, fromDevice, toDevice, recipient, sender, sim, everyMs } = canary
  await tx
    .insertInto('canaries')
    .values({
      id,
      account_id: accountId,
      from_device: fromDevice,
      to_device: toDevice,
      recipient,
      sender,
      sim,
      every_ms: everyMs,
      next_at: deps.nowMs,
      created_at: deps.nowMs,
    })
    .execute()
  const detail = { canaryId: id, fromDevice, toDevice, everyMs }
  await appendAudit(tx, deps, { accountId, actor, action: 'canary.added', detail })
  return id
}

/** Removes a canary with its runs. Rejects unknown ones. */
export async function removeCanary(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { canaryId, actor }: { canaryId: string; actor: string },
): Promise<void> {
  const row = await tx
    .selectFrom('canaries')
    .select('account_id')
    .where('id', '=', canaryId)
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Canary ${canaryId} not found.` })
  await deleteCanaries(tx, [canaryId])
  const { account_id: accountId } = row
  await appendAudit(tx, deps, { accountId, actor, action: 'canary.removed', detail: { canaryId } })
}

/** Removes the canaries of a device that is removed. */
export async function removeCanariesOf(tx: Tx, deviceId: string): Promise<void> {
  const rows = await tx
    .selectFrom('canaries')
    .select('id')
    .where(({ eb, or }) => or([eb('from_device', '=', deviceId), eb('to_device', '=', deviceId)]))
    .execute()
  await deleteCanaries(
    tx,
    rows.map(({ id }) => id),
  )
}

/** Deletes canaries with their runs. */
export async function deleteCanaries(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('canary_runs').where('canary_id', 'in', ids).execute()
  await tx.deleteFrom('canaries').where('id', 'in', ids).execute()
}

async function ownerOf(tx: Tx, deviceId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('devices')
    .select(['account_id'])
    .where('id', '=', deviceId)
    .where('state', '!=', 'retired')
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Device ${deviceId} not found.` })
  return row.account_id
}

function faultsOf(canary: Omit<NewCanary, 'actor'>, owners: readonly (string | null)[]): Fault[] {
  const { accountId, recipient, everyMs } = canary
  const number = parsePhoneNumber(recipient)
  const fault = (pointer: string, detail: string): Fault => ({ pointer, code: 'out_of_range', detail })
  const isOwned =
    accountId === null
      ? owners.every((owner) => owner === null)
      : owners.includes(accountId) && owners.every((owner) => owner === null || owner === accountId)
  return [
    ...(isOwned
      ? []
      : [fault('/account_id', 'The account must own both devices, or one of them while the other is shared. Between shared devices, omit it.')]), // prettier-ignore
    ...('e164' in number
      ? []
      : [fault('/recipient', `The number of the receiving device: ${number.detail}`)]),
    ...(everyMs >= shortestEveryMs && everyMs <= longestEveryMs
      ? []
      : [fault('/every', 'The interval must be from 30 minutes to 7 days.')]),
  ]
}
