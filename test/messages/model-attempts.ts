import fc from 'fast-check'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import type { Model } from './model.ts'
import { type ModelOutcome, networkIdsOf, type ReceiptResult } from './model-message.ts'
import { type Real, step } from './model-step.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { together } from '../../src/storage/seam/sets.ts'

const wireParts = fc.integer({ min: 0, max: 3 })
const outcome: fc.Arbitrary<ModelOutcome> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('accepted' as const),
      wireParts: fc.integer({ min: 1, max: 3 }),
      receipts: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refused' as const),
      lasts: fc.constantFrom('good' as const, 'now' as const, 'busy' as const, 'expired' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('partial' as const),
      wireParts,
      partsTaken: fc.integer({ min: 0, max: 4 }),
      receipts: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'unavailable' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('unknown' as const), wireParts, partsTaken: wireParts }),
  },
)

export function connectorOutcome(said: ModelOutcome, claimed: Claimed): Outcome {
  const networkIds =
    'wireParts' in said ? networkIdsOf(claimed.messageId, claimed.attemptNumber, said.wireParts) : []
  switch (said.kind) {
    case 'accepted':
      return { kind: 'accepted', networkIds, receiptExpected: said.receipts }
    case 'refused':
      return { kind: 'refused', lasts: said.lasts, code: 'no_service', networkCode: null }
    case 'partial':
      return {
        kind: 'partial',
        networkIds,
        partsTaken: said.partsTaken,
        receiptExpected: said.receipts,
        code: 'network_rejected',
        networkCode: null,
      }
    case 'unavailable':
      return { kind: 'unavailable', detail: 'gone' }
    case 'unknown':
      return { kind: 'unknown', networkIds, partsTaken: said.partsTaken, detail: 'no answer' }
  }
}

/** Open attempts end, several in one unit. */
export const end = fc.array(fc.tuple(fc.nat(20), outcome), { minLength: 1, maxLength: 4 }).map((ends) =>
  step(`end ${JSON.stringify(ends)}`, async (model, real) => {
    const chosen = ends.flatMap(([which, said]) => {
      const [claimed] = real.open.splice(which % Math.max(1, real.open.length), 1)
      return claimed === undefined ? [] : [{ claimed, said }]
    })
    await endThese(model, real, chosen)
  }),
)

/** Several end in one unit; `inOrder` is how the model takes them, where it is not as they are told. */
export async function endThese(
  model: Model,
  real: Real,
  chosen: readonly { claimed: Claimed; said: ModelOutcome }[],
  inOrder = chosen,
): Promise<void> {
  await settle(real, chosen)
  for (const { claimed, said } of inOrder)
    model.end(claimed.messageId, claimed.attemptNumber, said, real.clock.now())
  real.ended.push(...chosen.map(({ claimed }) => claimed))
  real.yeses.push(
    ...chosen.flatMap(({ claimed, said }) => (said.kind === 'accepted' ? [{ claimed, yes: said }] : [])),
  )
}

/** An attempt that has ended is said to have ended once more, as a process does that was stopped and goes on. */
export const endAgain = fc.tuple(fc.nat(50), outcome).map(([which, said]) =>
  step(`end again ${which} ${JSON.stringify(said)}`, async (model, real) => {
    const claimed = real.ended[which % Math.max(1, real.ended.length)]
    if (claimed === undefined || !model.messages.has(claimed.messageId)) return
    const late: ModelOutcome =
      'wireParts' in said
        ? { ...said, wireParts: 0, ...('receipts' in said ? { receipts: false } : {}) }
        : said
    await settle(real, [{ claimed, said: late }])
    model.end(claimed.messageId, claimed.attemptNumber, late, real.clock.now())
  }),
)

/** Each hand-over settles within its own time-out, if only as unknown: none is open for hours. */
export async function giveUpOpen(model: Model, real: Real): Promise<void> {
  const said: ModelOutcome = { kind: 'unknown', wireParts: 0, partsTaken: 0 }
  const open = real.open.splice(0)
  if (open.length === 0) return
  await settle(
    real,
    open.map((claimed) => ({ claimed, said })),
  )
  for (const { messageId, attemptNumber } of open) model.end(messageId, attemptNumber, said, real.clock.now())
  real.ended.push(...open)
}

export const settle = (
  real: Real,
  ends: readonly { claimed: Claimed; said: ModelOutcome }[],
): Promise<unknown> => {
  const nowMs = real.clock.now()
  const settlements = ends.map(({ claimed, said }) =>
    judgeOutcome(claimed, connectorOutcome(said, claimed), nowMs),
  )
  return real.store.writer.write((tx) =>
    together(tx, () => settleOutcomes(tx, settlements, takeChange(tx, nowMs))),
  )
}

/** Receipts for any attempts, too early, too late, repeated and in any order, several in one unit. */
const receipt = fc.record({
  which: fc.nat(30),
  part: fc.integer({ min: 1, max: 3 }),
  result: fc.constantFrom(
    'delivered' as const,
    'delivered' as const,
    'undelivered' as const,
    'lost' as const,
  ),
})
/** One attempt of which every part arrived. */
const arrival = fc
  .nat(30)
  .map((which) => [1, 2, 3].map((part) => ({ which, part, result: 'delivered' as const })))
export const receipts = fc.oneof(fc.array(receipt, { minLength: 1, maxLength: 5 }), arrival).map((said) =>
  step(`receipts ${JSON.stringify(said)}`, async (model, real) => {
    const claims = [...real.open, ...real.ended].filter(({ messageId }) => model.messages.has(messageId))
    const words = new Map<string, { claimed: Claimed; result: ReceiptResult }>()
    for (const { which, part, result } of claims.length === 0 ? [] : said) {
      const claimed = claims[which % claims.length]!
      const networkId = networkIdsOf(claimed.messageId, claimed.attemptNumber, 3)[part - 1]!
      if (!words.has(networkId)) words.set(networkId, { claimed, result })
    }
    await sayReceipts(model, real, words)
  }),
)

type SaidReceipts = ReadonlyMap<string, { claimed: Claimed; result: ReceiptResult }>

/** Receipts by their network ids, in one unit. */
async function sayReceipts(model: Model, real: Real, words: SaidReceipts): Promise<void> {
  const told = [...words].map(([networkId, { claimed, result }]) => ({
    deviceId: claimed.deviceId,
    networkId,
    result,
    code: null,
    networkCode: null,
    atMs: real.clock.now(),
  }))
  await real.store.writer.write((tx) =>
    together(tx, () => settleReceipts(tx, told, takeChange(tx, real.clock.now()))),
  )
  const byMessage = Map.groupBy(words, ([, { claimed }]) => claimed.messageId)
  for (const [messageId, group] of byMessage) {
    const results = new Map(group.map(([networkId, { result }]) => [networkId, result]))
    model.receipts(messageId, results, real.clock.now())
  }
}

/** The same of some parts of one attempt, counted from 1. */
export async function sayParts(
  model: Model,
  real: Real,
  claimed: Claimed,
  { parts, result }: { parts: readonly number[]; result: ReceiptResult },
): Promise<void> {
  const ids = networkIdsOf(claimed.messageId, claimed.attemptNumber, 3)
  const words = new Map(parts.map((part) => [ids[part - 1]!, { claimed, result }]))
  if (words.size > 0) await sayReceipts(model, real, words)
}
