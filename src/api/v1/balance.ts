import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import { type Balance, readBalance } from '../../ledger/balance.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import type { Answer, Call, Operation } from '../operation.ts'
import { QueryReader } from '../query.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'

export interface BalanceOperationDeps {
  readOf: ReadOf
  now(): number
}

const sms = (description: string) => Type.Integer({ description })

const BalanceSchema = Type.Object({
  object: oneOf(['balance'], 'What this object is.'),
  account_id: Type.String({ description: 'The account of the key.' }),
  mode: oneOf(modes, 'Decided by the key: each mode has a wallet of its own.'),
  unit: oneOf(['sms'], 'One SMS is one part.'),
  available: sms('SMS that may still be sent: `granted − reserved − used`.'),
  reserved: sms('SMS held for messages whose outcome is not known yet.'),
  used: sms('SMS charged since the account exists.'),
  granted: sms('SMS granted since the account exists.'),
  low_threshold: sms('The balance counts as low at or below this.'),
  is_low: Type.Boolean({ description: 'Whether it is.' }),
  used_today: sms('SMS charged on this UTC day.'),
  used_this_month: sms('SMS charged in this month, by UTC days.'),
  as_of: Type.String({ format: 'date-time', description: 'When this was read.' }),
})

type BalanceView = Static<typeof BalanceSchema>

export const balanceOperation: Operation<BalanceOperationDeps> = {
  id: 'getBalance',
  method: 'GET',
  path: '/api/v1/balance',
  scope: 'balance:read',
  kind: 'read',
  summary: 'How many SMS may still be sent',
  description:
    'Read from the same row that accepting a send updates, so it never lags. Test mode has a wallet of its own, refilled daily at 00:00 UTC.',
  query: Type.Object({}),
  answers: { 200: { description: 'The balance.', schema: BalanceSchema, example: balanceExample() } },
  problems: ['invalid_query'],
  handle: answerBalance,
}

async function answerBalance(
  { readOf, now }: BalanceOperationDeps,
  { caller, rawQuery }: Call,
): Promise<Answer> {
  new QueryReader(rawQuery, []).end()
  const nowMs = now()
  const balance = await readBalance(readOf(caller.accountId), caller.accountId, caller.mode, nowMs)
  // An account has both wallets from its first transaction on.
  if (balance === null) throw refuse('internal_error')
  return { status: 200, body: renderBalance(balance, caller, nowMs) }
}

const renderBalance = (
  balance: Balance,
  owner: Pick<Call['caller'], 'accountId' | 'mode'>,
  nowMs: number,
): BalanceView => ({
  object: 'balance',
  account_id: owner.accountId,
  mode: owner.mode,
  unit: 'sms',
  available: balance.available,
  reserved: balance.reserved,
  used: balance.used,
  granted: balance.granted,
  low_threshold: balance.lowThreshold,
  is_low: balance.isLow,
  used_today: balance.usedToday,
  used_this_month: balance.usedThisMonth,
  as_of: rfc3339(nowMs),
})

/** The example of the reference. */
function balanceExample(): BalanceView {
  return {
    object: 'balance', account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg', mode: 'live', unit: 'sms', available: 7, reserved: 2, used: 1, granted: 10,
    low_threshold: 5, is_low: false, used_today: 1, used_this_month: 1, as_of: '2026-11-21T09:30:00.000Z',
  } // prettier-ignore
}
