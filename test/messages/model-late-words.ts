import fc from 'fast-check'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import type { Model } from './model.ts'
import { claimOf } from './model-claims.ts'
import { connectorOutcome, endThese, sayParts, settle } from './model-attempts.ts'
import { correctionMs, type LateYes, type ModelOutcome } from './model-message.ts'
import { modelDevices } from './model-purses.ts'
import { account, type Real, step } from './model-step.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** The answer to an attempt that was given up comes after all, with the ids of all its parts; it may promise no receipts. */
export const lateYes = fc
  .tuple(fc.nat(50), fc.integer({ min: 1, max: 3 }), fc.boolean())
  .map(([which, most, receipts]) =>
    step(`late yes ${which} of ${most}${receipts ? '' : ' without receipts'}`, async (model, real) => {
      const lost = real.ended.filter(({ messageId, attemptNumber }) =>
        model.messages.get(messageId)?.lost.has(attemptNumber),
      )
      const claimed = lost[which % Math.max(1, lost.length)]
      if (claimed !== undefined) await sayLateYes(model, real, claimed, { most, receipts })
    }),
  )

async function sayLateYes(
  model: Model,
  real: Real,
  claimed: Claimed,
  { most, receipts }: { most: number; receipts: boolean },
): Promise<void> {
  const { messageId, attemptNumber } = claimed
  const told = model.message(messageId).lost.get(attemptNumber)!
  const yes: LateYes = { kind: 'accepted', wireParts: Math.max(told, most), receipts }
  await settleLate(real, claimed, yes)
  model.lateYes(messageId, attemptNumber, yes, real.clock.now())
  real.lateYeses.push({ claimed, yes, atMs: real.clock.now() })
}

/**
 * It is said again: as after a commit whose answer was lost, by a phone, which knows no ids, or by a node that does not know that it is late. Nothing
 * more comes of it.
 */
const sayer = fc.constantFrom('the same' as const, 'a node' as const)
export const lateYesAgain = fc.tuple(fc.nat(50), sayer).map(([which, by]) =>
  step(`late yes again ${which} by ${by}`, async (model, real) => {
    // No node stands still until late words are forgotten: it would tell them as new.
    const isTold = ({ atMs }: { atMs: number }) => by !== 'a node' || real.clock.now() - atMs < correctionMs
    const said = standingOf(model, real.lateYeses.filter(isTold), which)
    if (said === undefined) return
    const { claimed, yes } = said
    if (by === 'a node') await settle(real, [{ claimed, said: yes }])
    else await settleLate(real, claimed, yes)
    model.lateYes(claimed.messageId, claimed.attemptNumber, yes, real.clock.now())
  }),
)

/**
 * One that was told in time is said again, with all its ids: as after a commit whose answer was lost. Receipts of some of its parts come before that, and
 * behind it of others, or the same. Where no such yes stands, one is told first.
 */
const someParts = fc.subarray([1, 2, 3])
const reported = fc.record({
  parts: someParts,
  result: fc.constantFrom('delivered' as const, 'delivered' as const, 'lost' as const),
})
export const yesAgain = fc
  .tuple(account, fc.nat(50), reported, reported)
  .map(([accountId, which, before, behind]) =>
    step(
      `yes again ${which} of ${accountId}, between ${JSON.stringify([before, behind])}`,
      async (model, real) => {
        if (standingOf(model, real.yeses, which) === undefined) await sayYes(model, real, accountId, which)
        const said = standingOf(model, real.yeses, which)
        if (said === undefined) return
        const { claimed, yes } = said
        await sayParts(model, real, claimed, before)
        await settle(real, [{ claimed, said: yes }])
        model.lateYes(claimed.messageId, claimed.attemptNumber, yes, real.clock.now())
        await sayParts(model, real, claimed, behind)
      },
    ),
  )

const deviceBy = (which: number) => modelDevices[which % modelDevices.length]!

/** An open attempt is answered, if any can be opened. */
async function sayYes(model: Model, real: Real, accountId: string, which: number): Promise<void> {
  await claimOf(model, real, { accountId, most: 6, device: deviceBy(which) })
  const [claimed] = real.open.splice(which % Math.max(1, real.open.length), 1)
  const said: LateYes = { kind: 'accepted', wireParts: 1 + (which % 3), receipts: true }
  if (claimed !== undefined) await endThese(model, real, [{ claimed, said }])
}

/** One of the tries that stand as taken. */
function standingOf<T extends { claimed: Claimed }>(
  model: Model,
  yeses: readonly T[],
  which: number,
): T | undefined {
  const standing = yeses.filter(
    ({ claimed: { messageId, attemptNumber } }) =>
      model.messages.get(messageId)?.tries.get(attemptNumber)?.word === 'taken',
  )
  return standing[which % Math.max(1, standing.length)]
}

function settleLate(real: Real, claimed: Claimed, said: ModelOutcome): Promise<unknown> {
  const settlement = judgeLate(claimed, connectorOutcome(said, claimed), real.clock.now())
  return real.store.writer.write((tx) => settleOutcomes(tx, [settlement], takeChange(tx, real.clock.now())))
}

/** Nothing was submitted. */
const nothing: fc.Arbitrary<ModelOutcome> = fc.oneof(
  fc.record({
    kind: fc.constant('refused' as const),
    lasts: fc.constantFrom('good' as const, 'now' as const, 'busy' as const, 'expired' as const),
  }),
  fc.constant({ kind: 'unavailable' as const }),
)

/** That of an attempt whose answer was given up nothing was submitted; no id of it was told. */
export const lateNo = fc.tuple(fc.nat(50), nothing).map(([which, said]) =>
  step(`late no ${which} ${JSON.stringify(said)}`, async (model, real) => {
    const lost = real.ended.filter(
      ({ messageId, attemptNumber }) => model.messages.get(messageId)?.lost.get(attemptNumber) === 0,
    )
    const claimed = lost[which % Math.max(1, lost.length)]
    if (claimed === undefined) return
    await sayLateNo(model, real, claimed, said)
  }),
)

async function sayLateNo(model: Model, real: Real, claimed: Claimed, said: ModelOutcome): Promise<void> {
  await settleLate(real, claimed, said)
  model.lateNo(claimed.messageId, claimed.attemptNumber, real.clock.now())
}

/** How a second try ends, and what was told of the first while it was open: its late yes, or one of a node that stood still, in one unit with that end. */
const secondEnd = fc.oneof(nothing, fc.constant({ kind: 'unknown' as const, wireParts: 0, partsTaken: 0 }))
const yesMeanwhile = fc.oneof(
  fc.integer({ min: 1, max: 3 }),
  fc.constantFrom('none' as const, 'before it' as const, 'behind it' as const),
)

/** Of the first it is reported then that it did not arrive, and of the second that nothing was submitted after all. */
const takenBack = fc.option(nothing, { freq: 2 })

/** A second try begins, and nothing of it is submitted, or nobody knows; the answer to the first may come meanwhile. */
export const secondTry = fc
  .tuple(fc.nat(50), secondEnd, yesMeanwhile, takenBack)
  .map(([which, said, yes, no]) =>
    step(
      `second try ${which} ${JSON.stringify(said)}, yes ${yes}, then ${JSON.stringify(no)}`,
      async (model, real) => {
        const waiting = real.ended.filter(({ messageId, attemptNumber }) => {
          const message = model.messages.get(messageId)
          return message?.status === 'queued' && message.lost.has(attemptNumber)
        })
        const first = waiting[which % Math.max(1, waiting.length)]
        if (first === undefined) return
        await claimOf(model, real, { accountId: first.accountId, most: 6, device: deviceBy(which) })
        const place = real.open.findIndex(({ messageId }) => messageId === first.messageId)
        const [second] = place === -1 ? [] : real.open.splice(place, 1)
        if (second === undefined) return
        const ended = { claimed: second, said }
        if (typeof yes === 'number') await sayLateYes(model, real, first, { most: yes, receipts: true })
        const told = { claimed: first, said: { kind: 'accepted' as const, wireParts: 0, receipts: false } }
        if (typeof yes === 'number' || yes === 'none') await endThese(model, real, [ended])
        else await endThese(model, real, yes === 'before it' ? [told, ended] : [ended, told], [told, ended])
        if (said.kind !== 'unknown' || no === null) return
        await sayParts(model, real, first, { parts: [1], result: 'undelivered' })
        await sayLateNo(model, real, second, no)
      },
    ),
  )
