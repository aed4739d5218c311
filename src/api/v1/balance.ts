import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import { type Balance, readBalance } from '../../ledger/balance.ts'
import type { ReadOf } from '../../storage/seam/dialect.ts'
import type { Answer } from '../edge/operation.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'
import type { ApiCall, ApiOperation } from './operation.ts'

export interface BalanceOperationDeps {
  readOf: ReadOf
  now(): number
}

const sms = (description: string) => Type.Integer({ description })

const BalanceSchema = Type.Object({
  object: oneOf(['balance'], 'Type of the object.'),
  account_id: Type.String({ description: 'Account of the key.' }),
  mode: oneOf(modes, 'Mode of the key. Each mode has its own wallet.'),
  unit: oneOf(['sms'], 'One SMS is one part.'),
  available: sms('SMS available to send: `granted − reserved − used`.'),
  reserved: sms('SMS reserved for messages without a final outcome.'),
  used: sms('SMS charged since the account was created.'),
  granted: sms('SMS granted since the account was created.'),
  own_reserved: sms(
    'SMS of messages without a final outcome that only own devices carry, for nothing. Not in `reserved`.',
  ),
  own_used: sms('SMS sent over own devices that cost nothing, since the account was created. Not in `used`.'),
  low_threshold: sms('Threshold: the balance is low at or below it.'),
  is_low: Type.Boolean({ description: 'True when the balance is low.' }),
  used_today: sms('SMS charged today (UTC).'),
  used_this_month: sms('SMS charged this month (UTC).'),
  as_of: Type.String({ format: 'date-time', description: 'Time of this balance.' }),
})

type BalanceView = Static<typeof BalanceSchema>

export const balanceOperation: ApiOperation<BalanceOperationDeps> = {
  id: 'getBalance',
  method: 'GET',
  path: '/api/v1/balance',
  scope: 'balance:read',
  kind: 'read',
  summary: 'Get balance',
  description:
    'Reads the same row that an accepted send updates, so the balance is never stale. Test mode has its own wallet, which is refilled daily at 00:00 UTC.',
  query: Type.Object({}),
  answers: { 200: { description: 'The balance.', schema: BalanceSchema, example: balanceExample() } },
  problems: ['invalid_query'],
  handle: answerBalance,
}

async function answerBalance({ readOf, now }: BalanceOperationDeps, { caller }: ApiCall): Promise<Answer> {
  const nowMs = now()
  const balance = await readBalance(readOf(caller.accountId), caller.accountId, caller.mode, nowMs)
  // Every account has both wallets from its first transaction.
  if (balance === null) throw refuse('internal_error')
  return { status: 200, body: renderBalance(balance, caller, nowMs) }
}

const renderBalance = (
  balance: Balance,
  owner: Pick<ApiCall['caller'], 'accountId' | 'mode'>,
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
  own_reserved: balance.ownReserved,
  own_used: balance.ownUsed,
  low_threshold: balance.lowThreshold,
  is_low: balance.isLow,
  used_today: balance.usedToday,
  used_this_month: balance.usedThisMonth,
  as_of: rfc3339(nowMs),
})

/** Example for the reference. */
function balanceExample(): BalanceView {
  return {
    object: 'balance', account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg', mode: 'live', unit: 'sms', available: 7, reserved: 2, used: 1, granted: 10, own_reserved: 0, own_used: 0,
    low_threshold: 5, is_low: false, used_today: 1, used_this_month: 1, as_of: '2026-11-21T09:30:00.000Z',
  } // prettier-ignore
}
