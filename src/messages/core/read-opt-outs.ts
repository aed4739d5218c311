import type { Selectable } from 'kysely'
import { everySpelling } from '../../numbers/number-changes.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { everyColumn } from '../../storage/tables/every-column.ts'
import type { OptOutTable } from '../../storage/tables/message-tables.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

export type OptOutRow = Selectable<OptOutTable>

export const optOutKey = ['account_id', 'mode', 'recipient'] as const

const optOutColumns = everyColumn<OptOutTable>({
  account_id: true, mode: true, recipient: true, created_at: true, forget_at: true, origin: true,
  device_id: true, confirmation_id: true, confirmed_at: true,
}) // prettier-ignore

const byKey = {
  sql: `select ${optOutColumns.join(', ')} from opt_outs where account_id = :account and mode = :mode and recipient = :recipient`,
  inputs: ['account', 'mode', 'recipient'],
} as const

/** Reads opt-outs of these numbers, including expired ones. */
export const readOptOuts = (
  tx: Tx,
  { accountId, mode }: { accountId: string; mode: Mode },
  recipients: readonly string[],
): Promise<OptOutRow[]> =>
  readNamedOptOuts(
    tx,
    recipients.map((recipient) => ({ account_id: accountId, mode, recipient })),
  )

/** Does the same for any accounts. */
export const readNamedOptOuts = (
  tx: Tx,
  names: readonly Pick<OptOutRow, (typeof optOutKey)[number]>[],
): Promise<OptOutRow[]> =>
  selectEach<OptOutRow>(
    tx,
    byKey,
    names.map(({ account_id, mode, recipient }) => [account_id, mode, recipient]),
  )

/** True if an opt-out applies at an instant. */
export const isInForce = ({ forget_at }: Pick<OptOutRow, 'forget_at'>, nowMs: number): boolean =>
  forget_at === null || forget_at > nowMs

interface NumberedMessage {
  account_id: string
  mode: Mode
  id: string
  recipient: string
}

/**
 * Returns which of these messages go to a number that has opted out, in any of the spellings that are asked for. The message
 * that confirms an opt-out is not included.
 */
export async function findOptedOut(
  tx: Tx,
  messages: readonly NumberedMessage[],
  nowMs: number,
  spellingsOf: (recipient: string) => string[] = everySpelling,
): Promise<ReadonlySet<string>> {
  const named = messages.flatMap((message) =>
    spellingsOf(message.recipient).map((recipient) => ({ ...message, recipient })),
  )
  if (named.length === 0) return new Set()
  const optOuts = (await readNamedOptOuts(tx, named)).filter((each) => isInForce(each, nowMs))
  const stopped = named.filter((message) =>
    optOuts.some(
      (each) =>
        each.account_id === message.account_id &&
        each.mode === message.mode &&
        each.recipient === message.recipient &&
        each.confirmation_id !== message.id,
    ),
  )
  return new Set(stopped.map(({ id }) => id))
}

/**
 * Does the same for spellings other than that of the message: a claim compares numbers as written. Only a few countries have
 * such numbers, so those of others need no read.
 */
export const optedOutInAnotherSpelling = (
  tx: Tx,
  messages: readonly NumberedMessage[],
  nowMs: number,
): Promise<ReadonlySet<string>> =>
  findOptedOut(tx, messages, nowMs, (recipient) =>
    everySpelling(recipient).filter((each) => each !== recipient),
  )
