import fc from 'fast-check'
import { expect } from 'vitest'
import type { createSweepers } from '../../src/dispatch/sweepers/sweepers.ts'
import type { Ids } from '../../src/runtime/ids.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import type { StubClock } from '../stub-clock.ts'
import { expectSums } from './expect-sums.ts'
import type { NearStore } from '../near-store.ts'
import type { LateYes } from './model-message.ts'
import type { Model } from './model.ts'
import { readShown } from './shown-messages.ts'

/** The real thing beside the model. */
export interface Real {
  store: NearStore
  clock: StubClock
  ids: Ids
  /** Janitors of the process that lives now; a crash makes it a later one. */
  janitors(): ReturnType<typeof createSweepers>
  fence: number
  /** Claims that have not ended, oldest first. */
  open: Claimed[]
  /** Claims that have. */
  ended: Claimed[]
  /** The late yeses that were said, and when. */
  lateYeses: { claimed: Claimed; yes: LateYes; atMs: number }[]
  /** The yeses that were told in time, and what else ended an attempt as taken. */
  yeses: { claimed: Claimed; yes: LateYes }[]
  /** What was stored, and when, the last time that every sum held. */
  sound: { changes: number; atMs: number } | null
}

export type Command = fc.AsyncCommand<Model, Real>

/** A step: something happens to both, then both must say the same, and every sum must hold. */
export function step(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real)
      await expectAlike(model, real)
      await expectSound(real)
    },
    toString: () => name,
  }
}

/** Every sum holds; of what stands as it did at the same instant that is known. */
async function expectSound(real: Real): Promise<void> {
  const { store, clock, sound } = real
  const now = { changes: store.changes(), atMs: clock.now() }
  if (sound?.changes === now.changes && sound.atMs === now.atMs) return
  await expectSums(store.db, now.atMs)
  real.sound = now
}

export const accounts = ['acc_a', 'acc_b'] as const
export const account = fc.constantFrom(...accounts)

/** Messages and wallets of the store are those of the model. */
async function expectAlike(model: Model, { store, clock }: Real): Promise<void> {
  const rows = await readShown(store.db)
  expect(
    rows.map((row) => ({ ...row, final: row.finalized_at !== null && row.finalized_at <= clock.now() })),
  ).toMatchObject(
    [...model.messages.values()]
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((message) => ({
        id: message.id,
        status: message.status,
        charged: message.charged,
        cost_state: message.cost,
        paid_by: message.paidBy,
        attempts: message.attempts,
        possible_duplicate: message.wentAgain ? 1 : 0,
        corrected: message.wasCorrected ? 1 : 0,
        final: message.isFinal,
      })),
  )
  // Only what is `sent` is waited for, under the time of its message: open parts are found by that.
  const waitedForNothing = await store.db
    .selectFrom('receipts_expected as r')
    .innerJoin('messages as m', (on) =>
      on
        .onRef('m.account_id', '=', 'r.account_id')
        .onRef('m.mode', '=', 'r.mode')
        .onRef('m.id', '=', 'r.message_id'),
    )
    .select(['r.network_id', 'm.status', 'r.sent_at', 'm.sent_at as message_sent_at'])
    .where('r.closed_at', 'is', null)
    .where((is) => is.or([is('m.status', '<>', 'sent'), is('r.sent_at', '<>', is.ref('m.sent_at'))]))
    .execute()
  expect(waitedForNothing).toEqual([])
  const wallets = await store.db
    .selectFrom('wallets')
    .select(['account_id', 'granted', 'reserved', 'used', 'own_reserved', 'own_used'])
    .where('mode', '=', 'live')
    .orderBy('account_id')
    .execute()
  expect(wallets).toEqual(
    accounts.map((name) => {
      const { ownUsed, ...wallet } = model.wallet(name)
      const reserved = model.reserved(name)
      return {
        account_id: name,
        ...wallet,
        reserved,
        own_reserved: model.reserved(name, 'own_device'),
        own_used: ownUsed,
      }
    }),
  )
}
