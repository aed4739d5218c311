import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realKinds } from '../../src/connectors/registry.ts'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { cancelWaiting, expireWaiting } from '../../src/messages/queue/finish-queued.ts'
import { retractDeliveries } from '../../src/messages/outcomes/retract-deliveries.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import { readOldMessages, removeMessages } from '../../src/privacy/remove-old-messages.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { accepted, unknown } from './outcomes.ts'
import { openUnitHouse, type UnitHouse } from './unit-house.ts'

/** Every way in which a message of two parts can end, once for each purse, and by each device that may carry it. */
let house: UnitHouse
beforeEach(async () => {
  house = await openUnitHouse()
})
afterEach(() => house.close())

/** A purse, its device, and what the end of a message costs there. */
const purses = [
  { purse: 'the balance', sent: {}, device: 'dev_shared', holds: 'reserved', pays: 'used' },
  { purse: 'the balance, over an own device', sent: {}, device: 'dev_own', holds: 'reserved', pays: 'used' },
  { purse: 'own devices', sent: { paidBy: 'own_device' }, device: 'dev_own', holds: 'own_reserved', pays: 'own_used' },
  { purse: 'a fallback, over an own device', sent: { fallback: 'shared' }, device: 'dev_own', holds: 'reserved', pays: 'own_used' },
  { purse: 'a fallback, over a shared device', sent: { fallback: 'shared' }, device: 'dev_shared', holds: 'reserved', pays: 'used' },
  { purse: 'a fallback, over an own simulator', sent: { fallback: 'shared' }, device: 'dev_play', holds: 'reserved', pays: 'used' },
] as const // prettier-ignore
type PurseCase = (typeof purses)[number]

const claim = ({ device, sent }: PurseCase): Promise<Claimed> =>
  house.claim(device, {
    routeKey: routeKeyOf({ mode: 'live', sender: null, paidBy: 'paidBy' in sent ? sent.paidBy : 'balance' }),
    ...(device === 'dev_own' && { isOwn: true }),
  })
const refused = (lasts: 'good' | 'expired') => ({ kind: 'refused', lasts, code: 'no_service', networkCode: null }) as const // prettier-ignore
const both = ['n1', 'n2'] as const
const arrived = { n1: 'delivered', n2: 'delivered' } as const
const ids = createIds({ now: Date.now })
const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })

async function send(of: PurseCase): Promise<Claimed> {
  const claimed = await claim(of)
  await house.end(claimed, accepted(...both))
  return claimed
}
const retract = ({ accountId, mode, messageId, attemptNumber }: Claimed) =>
  house.store.writer.write(async (tx) => {
    const reason = { code: 'network_rejected', networkCode: null }
    const unit = await takeChange(tx, house.clock.now())
    await retractDeliveries(tx, unit, [{ accountId, mode, messageId, attemptNumber, reason }])
  })
const late = (claimed: Claimed, ...networkIds: string[]) =>
  house.store.writer.write((tx) =>
    settleOutcomes(
      tx,
      [judgeLate(claimed, accepted(...networkIds), house.clock.now())],
      takeChange(tx, house.clock.now()),
    ),
  )
const endWaiting = (trigger: 'canceled' | 'given_up_after_restore') =>
  house.store.writer.write(async (tx) => {
    const unit = await takeChange(tx, house.clock.now())
    return cancelWaiting(tx, unit, { accountId: 'acc_a' }, { trigger, code: 'unknown' }, 10)
  })
async function expire(): Promise<void> {
  house.clock.jumpWallClock(86_400_000)
  const nowMs = house.clock.now()
  await house.store.writer.write((tx) =>
    expireWaiting(tx, { nowMs, take: changeOnDemand(tx, nowMs) }, 10, realKinds),
  )
}
const erase = () =>
  eraseNumber(
    { read: house.store.db, writer: house.store.writer, clock: house.clock, ids, numbers },
    { number: '+4915112345678', accountId: 'acc_a', actor: 'usr_a', code: 'canceled_by_operator' },
  ) // prettier-ignore
async function drain(steps: AsyncIterable<unknown> | Promise<unknown>): Promise<void> {
  if (!(Symbol.asyncIterator in steps)) return void (await steps)
  for await (const _ of steps);
}
async function forget(): Promise<void> {
  const afterMs = house.clock.now() + 86_400_000
  const old = { acceptedBeforeMs: afterMs, settledBeforeMs: afterMs }
  await house.store.writer.write(async (tx) => {
    const mark = { accountId: 'acc_a', mode: 'live', afterId: '' } as const
    await removeMessages(tx, await readOldMessages(tx, mark, old, 10), old)
  })
}

/** An end, what it makes of a message (null: its record is gone), and how many of its two parts are charged. */
const ends: readonly [string, (of: PurseCase) => Promise<unknown>, string | null, 0 | 1 | 2][] = [
  ['delivered', async (of) => { await send(of); await house.receipts(arrived, of.device) }, 'delivered', 2],
  ['undelivered', async (of) => { await send(of); await house.receipts({ n1: 'undelivered' }, of.device) }, 'undelivered', 2],
  ['delivered before it was known to be sent', async (of) => { const claimed = await claim(of); await house.end(claimed, unknown(...both)); await house.receipts(arrived, of.device) }, 'delivered', 2],
  ['sent without receipts', async (of) => house.end(await claim(of), { ...accepted(...both), receiptExpected: false }), 'sent', 2],
  ['failed before it was sent', async (of) => house.end(await claim(of), refused('good')), 'failed', 0],
  ['failed after one part was sent', async (of) => house.end(await claim(of), { kind: 'partial', networkIds: ['n1'], partsTaken: 1, receiptExpected: true, code: 'network_rejected', networkCode: null }), 'failed', 1],
  ['canceled', () => endWaiting('canceled'), 'canceled', 0],
  ['expired in the queue', expire, 'expired', 0],
  ['expired at its device', async (of) => house.end(await claim(of), refused('expired')), 'expired', 0],
  ['unconfirmed, with nothing known to be taken', async (of) => house.end(await claim(of), unknown()), 'unconfirmed', 0],
  ['unconfirmed, with one part known to be taken', async (of) => house.end(await claim(of), unknown('n1')), 'unconfirmed', 1],
  ['unconfirmed, for want of a receipt', async (of) => { await send(of); await house.receipts({ n1: 'lost' }, of.device) }, 'unconfirmed', 2],
  ['unconfirmed after a restore', () => endWaiting('given_up_after_restore'), 'unconfirmed', 0],
  ['corrected by a late answer', async (of) => { const claimed = await claim(of); await house.end(claimed, unknown()); await late(claimed, ...both) }, 'sent', 0],
  ['corrected by receipts after its end', async (of) => { const claimed = await claim(of); await house.end(claimed, unknown()); await late(claimed, ...both); await house.receipts(arrived, of.device) }, 'delivered', 0],
  ['corrected since a part of it did not arrive', async (of) => { const claimed = await send(of); await house.receipts(arrived, of.device); await retract(claimed) }, 'undelivered', 2],
  ['erased before it was sent', () => drain(erase()), 'canceled', 0],
  ['erased after it was delivered', async (of) => { await send(of); await house.receipts(arrived, of.device); await drain(erase()) }, 'delivered', 2],
  ['removed with its record', async (of) => { await send(of); await house.receipts(arrived, of.device); await forget() }, null, 2],
] // prettier-ignore

const wallet = () =>
  house.store.db
    .selectFrom('wallets')
    .select(['reserved', 'used', 'own_reserved', 'own_used'])
    .where('mode', '=', 'live')
    .executeTakeFirstOrThrow()
const none = { reserved: 0, used: 0, own_reserved: 0, own_used: 0 }

test.for(purses.flatMap((of) => ends.map(([name, end, status, charged]) => ({ of, name, end, status, charged }))))(
  'paid by $of.purse and $name: $charged of 2 parts are charged, in that purse alone',
  async ({ of, end, status, charged }) => {
    await house.send({ parts: 2, ...of.sent })
    expect(await wallet()).toEqual({ ...none, [of.holds]: 2 })
    await end(of)
    expect(await wallet()).toEqual({ ...none, [of.pays]: charged })
    await house.sums()
    const rows = await house.store.db.selectFrom('messages').select(['status', 'charged', 'paid_by']).execute()
    const paidBy = charged > 0 ? of.pays === 'own_used' : of.holds === 'own_reserved'
    expect(rows).toEqual(
      status === null ? [] : [{ status, charged, paid_by: paidBy ? 'own_device' : 'balance' }],
    )
  },
) // prettier-ignore
