import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'
import type { MessageState } from './message-store.ts'

interface Told {
  accountId: string
  mode: Mode
  messageId: string
  attemptNumber: number
  event: string
  knownIds?: readonly string[]
  inDoubt?: { attemptId: string; parts: readonly number[]; wireParts: number }
}

const unknownOf = {
  sql: `select id, message_id from attempts
        where account_id = :account and mode = :mode and message_id = :message and number = :number and state = 'unknown'`,
  inputs: ['account', 'mode', 'message', 'number'],
} as const

/**
 * A node that stood still tells the end of its hand-over as if nobody had ended it meanwhile. A yes of an attempt that stands as unknown is a late
 * one, and is given as such; everything else as it was. One statement more, for messages that wait again or are `unconfirmed` alone.
 */
export async function lateWhereEnded<S extends Told>(
  tx: Tx,
  settlements: readonly S[],
  messages: ReadonlyMap<string, MessageState>,
): Promise<S[]> {
  const asked = settlements.filter((each) => mayBeLate(each, messages.get(each.messageId)))
  if (asked.length === 0) return [...settlements]
  const rows = await selectEach<{ id: string; message_id: string }>(
    tx,
    unknownOf,
    asked.map((each) => [each.accountId, each.mode, each.messageId, each.attemptNumber]),
  )
  const attempts = new Map(rows.map(({ id, message_id }) => [message_id, id]))
  const late = new Set(asked)
  return settlements.map((each) => {
    const attemptId = late.has(each) ? attempts.get(each.messageId) : undefined
    return attemptId === undefined
      ? each
      : { ...each, knownIds: [], inDoubt: { attemptId, parts: [], wireParts: 0 } }
  })
}

const mayBeLate = ({ event, knownIds, attemptNumber }: Told, message: MessageState | undefined): boolean =>
  event === 'accepted' &&
  knownIds === undefined &&
  message?.attempts === attemptNumber &&
  (message.status === 'queued' || message.status === 'unconfirmed')
