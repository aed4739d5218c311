import { everySpelling } from '../numbers/number-changes.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { holds, readNamedOptOuts } from './store-opt-outs.ts'

/**
 * Which of these messages go to a number in another spelling than the one that has opted out: a claim compares what is written. There are such
 * numbers in a few countries alone, so that those of others cost no look. The message that tells a number so may go.
 */
export async function stoppedInAnotherSpelling(
  tx: Tx,
  messages: readonly { account_id: string; mode: Mode; id: string; recipient: string }[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const named = messages.flatMap(({ recipient, ...message }) =>
    everySpelling(recipient)
      .filter((each) => each !== recipient)
      .map((each) => ({ ...message, recipient: each })),
  )
  if (named.length === 0) return new Set()
  const optOuts = (await readNamedOptOuts(tx, named)).filter((each) => holds(each, nowMs))
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
