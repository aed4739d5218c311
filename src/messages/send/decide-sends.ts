import { dayMs, utcDay } from '../../runtime/clock.ts'
import type { RefusalExtra, ProblemCode } from '../../runtime/errors.ts'
import { availableOf, type Wallet, walletKey } from '../../ledger/ledger.ts'
import type { AccountState } from '../../storage/tables/schema.ts'
import type { SendRequest } from './send-request.ts'

/** What the database contained before the batch, at the moment when the transaction holds its locks. */
export interface SendStanding {
  wallets: ReadonlyMap<string, Wallet>
  /** Accounts that are not allowed to send; with a recently cached key their sends can still arrive here. */
  barred: ReadonlyMap<string, Exclude<AccountState, 'active'>>
  /** Queued messages, by wallet. */
  waiting: ReadonlyMap<string, number>
  /**
   * Parts reserved by keys with a daily limit, by key and day (`capDayOf`): a batch can hold sends from both
   * sides of midnight.
   */
  reservedOfDay: ReadonlyMap<string, number>
}

export type Decision =
  | { kind: 'accept'; balanceAvailable: number; isLow: boolean }
  | { kind: 'refuse'; code: ProblemCode; extra: RefusalExtra }

/** Identifies the key and the UTC day of the daily limit that a send counts against. */
export const capDayOf = ({ keyId, createdAt }: Pick<SendRequest, 'keyId' | 'createdAt'>): string =>
  `${keyId}/${utcDay(createdAt)}`

/**
 * Decides which sends of a batch are accepted; each sees the results of the earlier ones. Pure, so that sends
 * compete for the last SMS in memory and not in the database. Checks the queue before the balance: a full queue is
 * told even to an account without balance.
 */
export function decideSends(requests: readonly SendRequest[], standing: SendStanding): Decision[] {
  const available = new Map<string, number>()
  const waiting = new Map(standing.waiting)
  const reserved = new Map(standing.reservedOfDay)

  return requests.map((request) => {
    const wallet = walletKey(request)
    const stored = standing.wallets.get(wallet)
    if (stored === undefined) throw new Error(`account ${request.accountId} has no ${request.mode} wallet`)
    const barred = standing.barred.get(request.accountId)
    if (barred !== undefined) return barred === 'closed' ? closedAccount : refusal('account_suspended', {})
    const messages = request.recipients.length
    const required = messages * request.parts

    const queued = waiting.get(wallet) ?? 0
    if (request.queueLimit > 0 && queued + messages > request.queueLimit) {
      return queueFull(queued, request.queueLimit)
    }
    const usedOfCap = reserved.get(capDayOf(request)) ?? 0
    if (request.dailyCap !== null && usedOfCap + required > request.dailyCap) {
      return capReached(request.dailyCap, usedOfCap, request.createdAt)
    }
    const left = available.get(wallet) ?? availableOf(stored)
    const price = request.paidBy === 'own_device' ? 0 : required
    if (price > left) {
      const detail = `${required} SMS required, ${left} available.`
      return refusal('insufficient_balance', { detail, required, available: left })
    }
    available.set(wallet, left - price)
    waiting.set(wallet, queued + messages)
    if (request.dailyCap !== null) reserved.set(capDayOf(request), usedOfCap + required)
    return {
      kind: 'accept',
      balanceAvailable: left - price,
      // A send that costs nothing is no occasion to warn of a low balance.
      isLow: price > 0 && left - price <= stored.low_threshold,
    }
  })
}

/** Plain data, because another thread may decide than the one that responds. */
const refusal = (code: ProblemCode, extra: RefusalExtra): Decision => ({ kind: 'refuse', code, extra })

const closedAccount = refusal('invalid_token', {
  headers: { 'www-authenticate': 'Bearer realm="onesixty", error="invalid_token"' },
})

const queueFull = (queued: number, limit: number): Decision =>
  refusal('queue_full', {
    detail: `${queued} messages are scheduled or queued. The limit is ${limit}.`,
    violated_policies: ['queue'],
    headers: { 'retry-after': '10' },
  })

const capReached = (cap: number, used: number, atMs: number): Decision =>
  refusal('rate_limited', {
    detail: `This key can send ${cap} SMS per day (UTC) and has sent ${used}.`,
    violated_policies: ['key-daily-cap'],
    headers: { 'retry-after': String(Math.ceil(((utcDay(atMs) + 1) * dayMs - atMs) / 1000)) },
  })
