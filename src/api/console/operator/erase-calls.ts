import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import { type AccountErasure, eraseAccount } from '../../../privacy/erase-account.ts'
import { eraseNumber } from '../../../privacy/erase-number.ts'
import { defineCall, type UserContext } from '../core/call.ts'

/** What was erased, and what was kept because it was in flight. */
export interface ErasedNumber {
  erased: number
  canceled: number
  inFlight: number
  /**
   * True when the write-ahead log was truncated immediately; false during a long read; null on a database
   * server, which has its own log.
   */
  isLogEmpty: boolean | null
}

/** E.164. */
const number = Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$' })
const accountId = Type.String({ pattern: '^acc_[0-9a-z]{26}$' })

export const eraseCalls = {
  /** Erases a number in one account, or in all accounts. */
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
  /** Erases an account for a few seconds; the page repeats the call until it is finished. */
  'operator/erase-account': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ accountId, confirm: Type.String({ maxLength: 100 }) }, closed),
    handle: (context, asked): Promise<AccountErasure> => eraseSlice(context, asked),
  }),
  /** Erases a number in the own account, in both modes. */
  'history/erase-number': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ number }, closed),
    handle: (context, asked): Promise<ErasedNumber> =>
      erase(context, { number: asked.number, accountId: context.account.id, code: 'canceled_by_user' }),
  }),
}

/** Time slice of an erasure: long enough for few calls, short enough to show progress. */
const sliceMs = 2_000
const pollMs = 250

/**
 * Continues the erasure for one time slice, or to its end. Messages in flight are waited for in the same
 * slice.
 */
async function eraseSlice(
  { read, writer, clock, ids, actor, live }: UserContext,
  asked: { accountId: string; confirm: string },
): Promise<AccountErasure> {
  const deps = { read, writer, clock, ids }
  let last: AccountErasure | null = null
  let sinceMs: number | null = null
  for await (const now of eraseAccount(deps, { ...asked, actor })) {
    last = now
    // Measured from the first page on: finding the position may take a while, and must not use up the slice.
    sinceMs ??= clock.monotonicMs()
    if (clock.monotonicMs() - sinceMs >= sliceMs) break
    if (now.inFlight > 0) await new Promise<void>((resolve) => void clock.schedule(pollMs, resolve))
  }
  live.changed(asked.accountId)
  if (last === null) throw new Error('The erasure ended without a result.')
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
  const { wakeDevice, numbers, emptyLog } = ports.history
  const deps = { read, writer, clock, ids, numbers }
  const { deviceIds, ...counts } = await eraseNumber(deps, { ...asked, actor })
  for (const deviceId of deviceIds) wakeDevice(deviceId)
  live.changed(asked.accountId)
  return { ...counts, isLogEmpty: await emptyLog() }
}
