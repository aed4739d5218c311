import { dayMs, utcDay } from '../../runtime/clock.ts'
import type { RefusalExtra, ProblemCode } from '../../runtime/errors.ts'
import { availableOf, type Wallet, walletKey } from '../../ledger/ledger.ts'
import type { AccountState } from '../../storage/tables/schema.ts'
import type { SendRequest } from './send-request.ts'

/** What the database knew before the batch. Every count is of the moment at which the transaction holds its locks. */
export interface Standing {
  wallets: ReadonlyMap<string, Wallet>
  /** Accounts that may not send; a key that was cached a moment ago may still bring their sends here. */
  barred: ReadonlyMap<string, Exclude<AccountState, 'active'>>
  /** Messages that wait, by wallet. */
  waiting: ReadonlyMap<string, number>
  /** Parts reserved through keys that have a cap, by key and day (`capDayOf`): a batch may hold sends of both sides of a midnight. */
  reservedOfDay: ReadonlyMap<string, number>
}

export type Decision =
  | { kind: 'accept'; balanceAvailable: number; isLow: boolean }
  | { kind: 'refuse'; code: ProblemCode; extra: RefusalExtra }

/** The key and the day (UTC) whose cap a send counts against. */
export const capDayOf = ({ keyId, createdAt }: Pick<SendRequest, 'keyId' | 'createdAt'>): string =>
  `${keyId}/${utcDay(createdAt)}`

/**
 * Which sends of a batch fit, each seeing what the earlier ones took: pure, so that the last SMS is raced for in memory and
 * never in the database. Queue before balance, as in the order of checks.
 */
export function decideSends(requests: readonly SendRequest[], standing: Standing): Decision[] {
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
    if (required > left) {
      const detail = `${required} SMS are required and ${left} are available.`
      return refusal('insufficient_balance', { detail, required, available: left })
    }
    available.set(wallet, left - required)
    waiting.set(wallet, queued + messages)
    if (request.dailyCap !== null) reserved.set(capDayOf(request), usedOfCap + required)
    return {
      kind: 'accept',
      balanceAvailable: left - required,
      isLow: left - required <= stored.low_threshold,
    }
  })
}

/** Plain data: the decision may be made in another thread than the one that answers. */
const refusal = (code: ProblemCode, extra: RefusalExtra): Decision => ({ kind: 'refuse', code, extra })

const closedAccount = refusal('invalid_token', {
  headers: { 'www-authenticate': 'Bearer realm="onesixty", error="invalid_token"' },
})

const queueFull = (queued: number, limit: number): Decision =>
  refusal('queue_full', {
    detail: `${queued} messages wait and at most ${limit} may.`,
    violated_policies: ['queue'],
    headers: { 'retry-after': '10' },
  })

const capReached = (cap: number, used: number, atMs: number): Decision =>
  refusal('rate_limited', {
    detail: `This key may send ${cap} SMS a day (UTC) and has sent ${used}.`,
    violated_policies: ['key-daily-cap'],
    headers: { 'retry-after': String(Math.ceil(((utcDay(atMs) + 1) * dayMs - atMs) / 1000)) },
  })
