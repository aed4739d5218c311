import { Type } from 'typebox'
import { type AccountErasure, eraseAccount } from '../../../privacy/erase-account.ts'
import { eraseNumber } from '../../../privacy/erase-number.ts'
import { defineCall, type UserContext } from '../core/call.ts'

/** What was erased, and what was left because it was being handed over. */
export interface ErasedNumber {
  erased: number
  canceled: number
  inFlight: number
  /** Whether the write-ahead log was emptied of it at once: false while somebody read for long, null where that is a database server's matter. */
  isLogEmpty: boolean | null
}

const closed = { additionalProperties: false }
/** E.164. */
const number = Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })
const accountId = Type.String({ pattern: '^acc_[0-9a-z]{26}$' })

export const eraseCalls = {
  /** Erases a number of one account, or of all when none is named. */
  'operator/erase-number': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ number, accountId: Type.Optional(accountId) }, closed),
    handle: (context, asked): Promise<ErasedNumber> =>
      erase(context, {
        number: asked.number,
        accountId: asked.accountId ?? null,
        code: 'canceled_by_operator',
      }),
  }),
  /** Erases an account for some seconds: whoever asks repeats it until it is finished. */
  'operator/erase-account': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ accountId, confirm: Type.String({ maxLength: 100 }) }, closed),
    handle: (context, asked): Promise<AccountErasure> => eraseForAWhile(context, asked),
  }),
  /** Erases a number of one's own account, in both modes. */
  'history/erase-number': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ number }, closed),
    handle: (context, asked): Promise<ErasedNumber> =>
      erase(context, { number: asked.number, accountId: context.account.id, code: 'canceled_by_user' }),
  }),
}

/** A piece of an erasure: so long that little is asked twice, so short that a page can show how far it is. */
const pieceMs = 2_000
const lookEveryMs = 250

/** Goes on for one piece, or to the end. What is being handed over is waited for as long. */
async function eraseForAWhile(
  { read, writer, clock, ids, actor, ports, live }: UserContext,
  asked: { accountId: string; confirm: string },
): Promise<AccountErasure> {
  const deps = { read, writer, clock, ids, hold: ports.history.holdHorizon }
  let last: AccountErasure | null = null
  let sinceMs: number | null = null
  for await (const now of eraseAccount(deps, { ...asked, actor })) {
    last = now
    // From the first page on: to find where it was may take a while, and must not eat up the piece.
    sinceMs ??= clock.monotonicMs()
    if (clock.monotonicMs() - sinceMs >= pieceMs) break
    if (now.inFlight > 0) await new Promise<void>((resolve) => void clock.schedule(lookEveryMs, resolve))
  }
  live.changed(asked.accountId)
  if (last === null) throw new Error('An erasure ends with its last step.')
  return last
}

async function erase(
  { read, writer, clock, ids, actor, ports, live }: UserContext,
  asked: {
    number: string
    accountId: string | null
    code: 'canceled_by_operator' | 'canceled_by_user'
  },
): Promise<ErasedNumber> {
  const { holdHorizon, wakeDevice, numbers, emptyLog } = ports.history
  const deps = { read, writer, clock, ids, numbers, hold: holdHorizon }
  const { deviceIds, ...counts } = await eraseNumber(deps, { ...asked, actor })
  for (const deviceId of deviceIds) wakeDevice(deviceId)
  live.changed(asked.accountId)
  return { ...counts, isLogEmpty: await emptyLog() }
}
