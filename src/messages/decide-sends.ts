import { type Refusal, refuse } from '../errors.ts'
import { availableOf, type Wallet, walletKey } from '../ledger/ledger.ts'
import type { SendRequest } from './send-request.ts'

/** What the database knew before the batch. Every count is of the moment at which the transaction holds its locks. */
export interface Standing {
  wallets: ReadonlyMap<string, Wallet>
  /** Messages that wait, by wallet. */
  waiting: ReadonlyMap<string, number>
  /** Parts reserved today through each key that has a cap. */
  reservedToday: ReadonlyMap<string, number>
}

export type Decision = { kind: 'accept'; balanceAvailable: number; isLow: boolean } | { kind: 'refuse'; refusal: Refusal }

/**
 * Which sends of a batch fit, each seeing what the earlier ones took: pure, so that the last SMS is raced for in memory and
 * never in the database. Queue before balance, as in the order of checks.
 */
export function decideSends(requests: readonly SendRequest[], standing: Standing): Decision[] {
  const available = new Map<string, number>()
  const waiting = new Map(standing.waiting)
  const reserved = new Map(standing.reservedToday)

  return requests.map((request) => {
    const wallet = walletKey(request)
    const stored = standing.wallets.get(wallet)
    if (stored === undefined) return { kind: 'refuse', refusal: refuse('internal_error') }
    const messages = request.recipients.length
    const required = messages * request.parts

    const queued = waiting.get(wallet) ?? 0
    if (request.queueLimit > 0 && queued + messages > request.queueLimit) {
      return { kind: 'refuse', refusal: queueFull(queued, request.queueLimit) }
    }
    const usedOfCap = reserved.get(request.keyId) ?? 0
    if (request.dailyCap !== null && usedOfCap + required > request.dailyCap) {
      return { kind: 'refuse', refusal: capReached(request.dailyCap, usedOfCap) }
    }
    const left = available.get(wallet) ?? availableOf(stored)
    if (required > left) {
      return { kind: 'refuse', refusal: refuse('insufficient_balance', { detail: `${required} SMS are required and ${left} are available.`, required, available: left }) }
    }
    available.set(wallet, left - required)
    waiting.set(wallet, queued + messages)
    if (request.dailyCap !== null) reserved.set(request.keyId, usedOfCap + required)
    return { kind: 'accept', balanceAvailable: left - required, isLow: left - required <= stored.low_threshold }
  })
}

const queueFull = (queued: number, limit: number): Refusal =>
  refuse('queue_full', { detail: `${queued} messages wait and at most ${limit} may.`, headers: { 'retry-after': '10' } })

const capReached = (cap: number, used: number): Refusal =>
  refuse('rate_limited', {
    detail: `This key may send ${cap} SMS a day (UTC) and has sent ${used}.`,
    violated_policies: ['key-daily-cap'],
  })
