import fc from 'fast-check'
import { expect } from 'vitest'
import { grantSms } from '../../src/ledger/grants.ts'
import { cancelWaiting, type EndReason } from '../../src/messages/queue/finish-queued.ts'
import { releaseHeld } from '../../src/storage/instance/epoch.ts'
import type { Model } from './model.ts'
import type { ModelOutcome } from './model-message.ts'
import { account, type Command, type Real, step } from './model-step.ts'
import { send } from './model-sends.ts'
import { claim } from './model-claims.ts'
import { end, endAgain, giveUpOpen, receipts } from './model-attempts.ts'
import { lateNo, lateYes, lateYesAgain, secondTry, yesAgain } from './model-late-words.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const pass = fc.constantFrom(1_000, 15_000, 60_000, 3_600_000).map((ms) =>
  step(`pass ${ms / 1000} s`, async (model, real) => {
    if (ms >= 3_600_000) await giveUpOpen(model, real)
    real.clock.jumpWallClock(ms)
    await real.janitors().expirer.sweepAll()
    model.expire(real.clock.now())
  }),
)

/** The process dies and another begins: what it was handing over has no known outcome. */
async function crash(model: Model, real: Real): Promise<void> {
  real.fence += 1
  await real.janitors().rescuer.sweepAll()
  for (const { messageId, attemptNumber } of real.open) {
    const message = model.message(messageId)
    const lost: ModelOutcome = { kind: 'unknown', wireParts: 0, partsTaken: 0 }
    if (message.heldBack) message.resendOnce = false
    model.end(messageId, attemptNumber, lost, real.clock.now())
  }
  real.ended.push(...real.open.splice(0))
}

/** Days in which the janitors do their work. */
const age = fc.constantFrom(3, 7, 91).map((days) =>
  step(`age ${days} days`, async (model, real) => {
    await crash(model, real)
    real.clock.jumpWallClock(days * 86_400_000 + 1_000)
    const { expirer, receiptExpirer, retention } = real.janitors()
    for (const janitor of [expirer, receiptExpirer, retention]) await janitor.sweepAll()
    model.expire(real.clock.now())
    model.giveUpReceipts(real.clock.now())
    model.forget(real.clock.now())
  }),
)

const restore = fc.constant(
  step('restore', async (model, real) => {
    await real.store.writer.write(async (tx) => {
      await tx.updateTable('queue').set({ restore_hold: 1 }).execute()
      await tx.updateTable('attempts').set({ restore_hold: 1 }).where('ended_at', 'is', null).execute()
    })
    for (const message of model.messages.values()) if (!message.isFinal) message.heldBack = true
    await crash(model, real)
  }),
)

const cancelAll = (
  { store, clock }: Real,
  ...[scope, reason]: [Parameters<typeof cancelWaiting>[2], EndReason]
): Promise<unknown> =>
  store.writer.write(async (tx) => cancelWaiting(tx, await takeChange(tx, clock.now()), scope, reason, 500))

const decide = fc
  .constantFrom('release' as const, 'canceled' as const, 'given_up_after_restore' as const)
  .map((decision) =>
    step(`after the restore: ${decision}`, async (model, real) => {
      if (decision === 'release') {
        await releaseHeld(real.store)
        for (const message of model.messages.values()) message.heldBack = false
        await real.janitors().expirer.sweepAll()
        model.expire(real.clock.now())
        return
      }
      await cancelAll(real, 'restore_hold', { trigger: decision, code: 'unknown' })
      model.stopWaiting(({ heldBack }) => heldBack, decision === 'canceled' ? 'canceled' : 'unconfirmed')
    }),
  )

const cancel = account.map((accountId) =>
  step(`cancel all of ${accountId}`, async (model, real) => {
    await cancelAll(real, { accountId }, { trigger: 'canceled', code: 'account_closed' })
    model.stopWaiting((message) => message.account === accountId, 'canceled')
  }),
)

const grant = fc
  .tuple(
    account,
    fc.integer({ min: -10, max: 10 }).filter((sms) => sms !== 0),
  )
  .map(([accountId, sms]) =>
    step(`grant ${sms} to ${accountId}`, async (model, real) => {
      const given = { accountId, mode: 'live', sms, kind: 'correction', note: 'test', actor: 'test' } as const
      const granting = real.store.writer.write((tx) =>
        grantSms(tx, { ids: real.ids, nowMs: real.clock.now() }, given),
      )
      if (model.available(accountId) + sms < 0) return expect(granting).rejects.toThrow('Cannot take back')
      await granting
      model.wallet(accountId).granted += sms
    }),
  )

/** What happens often in life happens often here: each is drawn as often as it is named. */
export const commands: fc.Arbitrary<Command>[] = [
  send, send, send, claim, claim, claim, end, end, end, receipts, receipts, pass, endAgain, lateYes, lateYesAgain, yesAgain, lateNo, secondTry, age, restore, decide, cancel, grant,
] // prettier-ignore
