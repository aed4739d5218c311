import fc from 'fast-check'
import { expect } from 'vitest'
import { claimMessages, type ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { Model } from './model.ts'
import type { ClaimWish, SimRoom } from './model-paces.ts'
import { deviceId, type ModelDevice, modelDevices } from './model-purses.ts'
import { account, accounts, type Real, step } from './model-step.ts'
import { together } from '../../src/storage/seam/sets.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

const quota = fc.integer({ min: 1, max: 6 })
const isForced = fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0)

/** A link takes so many of one account: what its pace leaves is seen to before and after. Only an own one takes of its own route. */
const ofOne = fc
  .record({ account, quota, isForced, isOwn: fc.boolean(), device: fc.constantFrom(...modelDevices) })
  .map(({ device: drawn, ...wish }) => {
    const device = wish.isOwn ? 'own' : drawn
    return step(`${device} claims ${JSON.stringify(wish)}`, (model, real) =>
      claimThese(model, real, [wish], { device, sims: null }),
    )
  })

/**
 * A phone takes of both accounts in one unit, over its SIMs. Most of them have room for fewer parts than many a text has; the pace that a phone has as a
 * whole is shared among the accounts.
 */
const roomOfSim = fc.integer({ min: 0, max: 4 })
const ofBoth = fc
  .record({
    sims: fc.tuple(roomOfSim, roomOfSim).map(([one, two]) => [
      { sim: 1, parts: one },
      { sim: 2, parts: two },
    ]),
    maxParts: fc.constantFrom(1, 2, 5, 99),
    quota,
    isForced,
  })
  .map(({ sims, ...wish }) =>
    step(`a phone claims ${JSON.stringify({ sims, ...wish })}`, (model, real) =>
      claimThese(
        model,
        real,
        accounts.map((accountId) => ({ ...wish, isOwn: false, account: accountId })),
        { device: 'shared', sims },
      ),
    ),
  )

export const claim = fc.oneof({ weight: 3, arbitrary: ofOne }, { weight: 2, arbitrary: ofBoth })

/** Of one account, by a link without a pace; what only own devices carry goes by one. */
export async function claimOf(
  model: Model,
  real: Real,
  { accountId, most, device }: { accountId: string; most: number; device: ModelDevice },
): Promise<void> {
  const wish = { account: accountId, quota: most, isForced: false }
  await claimThese(model, real, [{ ...wish, isOwn: false }], { device, sims: null })
  await claimThese(model, real, [{ ...wish, isOwn: true }], { device: 'own', sims: null })
}

async function claimThese(
  model: Model,
  real: Real,
  wishes: readonly ClaimWish[],
  by: { device: ModelDevice; sims: readonly SimRoom[] | null },
): Promise<void> {
  const { device, sims } = by
  const nowMs = real.clock.now()
  const requests = wishes.map((wish) => wantOf(wish, by))
  const { claimed, offers } = await real.store.writer.write(async (tx) => {
    const made = await together(tx, () =>
      claimMessages(
        tx,
        real.ids,
        { requests, nowMs, dueMs: nowMs, fence: real.fence },
        changeOnDemand(tx, nowMs),
      ),
    )
    // What a phone does with them is the subject of another model (phones-model.test.ts): here they go as those of a link do.
    const rows = await tx.selectFrom('phone_offers').select(['attempt_id', 'sim']).execute()
    await tx.deleteFrom('phone_offers').execute()
    return { claimed: made.claimed, offers: new Map(rows.map((row) => [row.attempt_id, row.sim])) }
  })
  const expected = model.claimable(wishes, sims, nowMs)
  const told = claimed.map(({ messageId, attemptId }) => ({
    id: messageId,
    sim: offers.get(attemptId) ?? null,
  }))
  expect(told).toEqual(expected)
  for (const { id } of expected) model.claim(id, device)
  real.open.push(...claimed)
}

const wantOf = (
  { account: accountId, quota: most, isForced: forced, isOwn, maxParts }: ClaimWish,
  { device, sims }: { device: ModelDevice; sims: readonly SimRoom[] | null },
): ClaimRequest => ({
  accountId,
  mode: 'live',
  routeKey: routeKeyOf({
    mode: 'live',
    sender: null,
    encodingForced: forced,
    paidBy: isOwn ? 'own_device' : 'balance',
  }),
  deviceId: deviceId(device, accountId),
  quota: most,
  partsOver: 0,
  partsUpTo: 10,
  ...(device === 'own' && { isOwn: true as const }),
  ...(maxParts === undefined ? {} : { maxParts }),
  ...(sims === null ? {} : { phone: { phoneId: 'phn_p', sims } }),
})
