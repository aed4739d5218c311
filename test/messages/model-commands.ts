import fc from 'fast-check'
import { expect } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import type { createJanitors } from '../../src/dispatch/janitors.ts'
import { judgeOutcome } from '../../src/dispatch/retry-policy.ts'
import type { Ids } from '../../src/ids.ts'
import { grantSms } from '../../src/ledger/grants.ts'
import { type Claimed, claimMessages } from '../../src/messages/claim-messages.ts'
import { cancelWaiting } from '../../src/messages/end-waiting.ts'
import { priorityOf, routeKeyOf } from '../../src/messages/message-store.ts'
import { sendMessages } from '../../src/messages/send-messages.ts'
import type { SendRequest } from '../../src/messages/send-request.ts'
import { settleOutcomes } from '../../src/messages/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/settle-receipts.ts'
import { releaseHeld } from '../../src/storage/epoch.ts'
import type { StubClock } from '../stub-clock.ts'
import { expectSums } from './expect-sums.ts'
import type { NearStore } from './near-store.ts'
import {
  type Model,
  type ModelMessage,
  type ModelOutcome,
  networkIdsOf,
  type ReceiptResult,
} from './model.ts'

/** The real thing beside the model. */
export interface Real {
  store: NearStore
  clock: StubClock
  ids: Ids
  /** Janitors of the process that lives now; a crash makes it a later one. */
  janitors(): ReturnType<typeof createJanitors>
  fence: number
  /** Claims that have not ended, oldest first. */
  open: Claimed[]
  /** Claims that have. */
  ended: Claimed[]
}

type Command = fc.AsyncCommand<Model, Real>

/** A step: something happens to both, then both must say the same, and every sum must hold. */
function step(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real)
      await expectAlike(model, real)
      await expectSums(real.store.db, real.clock.now())
    },
    toString: () => name,
  }
}

const accounts = ['acc_a', 'acc_b'] as const
const account = fc.constantFrom(...accounts)
const categories = ['authentication', 'transactional', 'marketing'] as const
const validitiesMs = [60_000, 86_400_000] as const

const sendShape = fc.record({
  account,
  recipients: fc.integer({ min: 1, max: 3 }),
  parts: fc.integer({ min: 1, max: 3 }),
  resendOnce: fc.boolean(),
  category: fc.constantFrom(...categories),
  validityMs: fc.constantFrom(...validitiesMs),
  key: fc.option(fc.constantFrom('k1', 'k2'), { freq: 4 }),
})
type SendShape = typeof sendShape extends fc.Arbitrary<infer T> ? T : never

const send = fc.array(sendShape, { minLength: 1, maxLength: 4 }).map((shapes) =>
  step(`send ${JSON.stringify(shapes)}`, async (model, real) => {
    const distinct = shapes.filter(
      (shape, i) =>
        shape.key === null ||
        !shapes.slice(0, i).some((other) => other.key === shape.key && other.account === shape.account),
    )
    const requests = distinct.map((shape) => requestOf(shape, real))
    const results = await real.store.writer.write((tx) => sendMessages(tx, requests))
    // Sends of one batch see what earlier ones took; what was stored before the batch counts as a repetition.
    const known = new Set(model.keys.keys())
    distinct.forEach((shape, i) => {
      const [request, result] = [requests[i]!, results[i]!]
      const name = `${shape.account}/${shape.key}`
      const needed = shape.recipients * shape.parts
      if (shape.key !== null && known.has(name)) {
        expect(result).toMatchObject({
          kind: 'replayed',
          replay: { send: { id: model.keys.get(name)!.sendId } },
        })
      } else if (needed > model.available(shape.account)) {
        expect(result).toMatchObject({ kind: 'refused', code: 'insufficient_balance' })
      } else {
        for (const id of request.messageIds) model.messages.set(id, modelMessage(id, shape, request))
        expect(result).toMatchObject({ kind: 'accepted', balanceAvailable: model.available(shape.account) })
        const { sendId, messageIds, createdAt } = request
        if (shape.key !== null) model.keys.set(name, { sendId, messageIds, createdAt })
      }
    })
  }),
)

const requestOf = (shape: SendShape, { ids, clock }: Real): SendRequest => ({
  sendId: ids('snd'),
  messageIds: Array.from({ length: shape.recipients }, () => ids('msg')),
  accountId: shape.account,
  mode: 'live',
  keyId: 'key_a',
  dailyCap: null,
  queueLimit: 0,
  createdAt: clock.now(),
  idempotency: shape.key === null ? null : { key: shape.key, fingerprint: 'f' },
  recipients: Array.from({ length: shape.recipients }, (_, i) => ({
    to: `+4915112345${100 + i}`,
    country: 'DE',
  })),
  from: null,
  category: shape.category,
  text: 'Hello',
  encoding: 'gsm7',
  units: 5,
  parts: shape.parts,
  smartEncodingApplied: false,
  onUnknown: shape.resendOnce ? 'resend_once' : 'stop',
  clientReference: null,
  metadata: '{}',
  expiresAt: clock.now() + shape.validityMs,
  warnings: [],
})

const modelMessage = (id: string, shape: SendShape, { createdAt, expiresAt }: SendRequest): ModelMessage => ({
  id,
  account: shape.account,
  parts: shape.parts,
  resendOnce: shape.resendOnce,
  priority: priorityOf(shape.category),
  createdAt,
  dueAt: createdAt,
  expiresAt,
  status: 'queued',
  charged: 0,
  cost: 'held',
  isFinal: false,
  wasCorrected: false,
  wentAgain: false,
  attempts: 0,
  refusals: 0,
  partsTaken: 0,
  heldBack: false,
  waitedFor: new Map(),
})

const claim = fc.tuple(account, fc.integer({ min: 1, max: 6 })).map(([accountId, quota]) =>
  step(`claim ${quota} of ${accountId}`, async (model, real) => {
    const nowMs = real.clock.now()
    const want = {
      accountId,
      mode: 'live',
      routeKey: routeKeyOf('live', null),
      deviceId: 'dev_s',
      quota,
      partsOver: 0,
      partsUpTo: 10,
    } as const
    const { claimed } = await real.store.writer.write((tx) =>
      claimMessages(tx, real.ids, { wants: [want], nowMs, dueMs: nowMs, fence: real.fence }),
    )
    const expected = model.claimable(accountId, nowMs, quota)
    expect(claimed.map(({ messageId }) => messageId)).toEqual(expected)
    for (const id of expected) model.claim(id)
    real.open.push(...claimed)
  }),
)

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

function connectorOutcome(said: ModelOutcome, claimed: Claimed): Outcome {
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
const end = fc.array(fc.tuple(fc.nat(20), outcome), { minLength: 1, maxLength: 4 }).map((ends) =>
  step(`end ${JSON.stringify(ends)}`, async (model, real) => {
    const chosen = ends.flatMap(([which, said]) => {
      const [claimed] = real.open.splice(which % Math.max(1, real.open.length), 1)
      return claimed === undefined ? [] : [{ claimed, said }]
    })
    await settle(real, chosen)
    for (const { claimed, said } of chosen)
      model.end(claimed.messageId, claimed.attemptNumber, said, real.clock.now())
    real.ended.push(...chosen.map(({ claimed }) => claimed))
  }),
)

/** An attempt that has ended is said to have ended once more, as a process does that was stopped and goes on. */
const endAgain = fc.tuple(fc.nat(50), outcome).map(([which, said]) =>
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

const settle = (real: Real, ends: readonly { claimed: Claimed; said: ModelOutcome }[]): Promise<unknown> => {
  const nowMs = real.clock.now()
  const settlements = ends.map(({ claimed, said }) =>
    judgeOutcome(claimed, connectorOutcome(said, claimed), nowMs),
  )
  return real.store.writer.write((tx) => settleOutcomes(tx, settlements))
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
const receipts = fc.oneof(fc.array(receipt, { minLength: 1, maxLength: 5 }), arrival).map((said) =>
  step(`receipts ${JSON.stringify(said)}`, async (model, real) => {
    const claims = [...real.open, ...real.ended].filter(({ messageId }) => model.messages.has(messageId))
    const words = new Map<string, { claimed: Claimed; result: ReceiptResult }>()
    for (const { which, part, result } of claims.length === 0 ? [] : said) {
      const claimed = claims[which % claims.length]!
      const networkId = networkIdsOf(claimed.messageId, claimed.attemptNumber, 3)[part - 1]!
      if (!words.has(networkId)) words.set(networkId, { claimed, result })
    }
    const told = [...words].map(([networkId, { result }]) => ({
      deviceId: 'dev_s', networkId, result, code: null, networkCode: null, atMs: real.clock.now(),
    })) // prettier-ignore
    await real.store.writer.write((tx) => settleReceipts(tx, told))
    for (const group of Map.groupBy(words, ([, { claimed }]) => claimed).values()) {
      const ofAttempt = new Map(group.map(([networkId, { result }]) => [networkId, result]))
      model.receipts(group[0]![1].claimed.messageId, ofAttempt, real.clock.now())
    }
  }),
)

const pass = fc.constantFrom(1_000, 15_000, 60_000, 3_600_000).map((ms) =>
  step(`pass ${ms / 1000} s`, async (model, real) => {
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
    const { expirer, receiptCloser, retention } = real.janitors()
    for (const janitor of [expirer, receiptCloser, retention]) await janitor.sweepAll()
    model.expire(real.clock.now())
    model.giveUpReceipts(real.clock.now())
    model.forget(real.clock.now())
  }),
)

const restore = fc.constant(
  step('restore', async (model, real) => {
    await real.store.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())
    for (const message of model.messages.values()) if (!message.isFinal) message.heldBack = true
    await crash(model, real)
  }),
)

const decide = fc
  .constantFrom('release' as const, 'canceled' as const, 'given_up_after_restore' as const)
  .map((decision) =>
    step(`after the restore: ${decision}`, async (model, real) => {
      if (decision === 'release') {
        await real.store.writer.write(releaseHeld)
        for (const message of model.messages.values()) message.heldBack = false
        await real.janitors().expirer.sweepAll()
        model.expire(real.clock.now())
        return
      }
      const reason = { event: decision, code: 'unknown', nowMs: real.clock.now() }
      await real.store.writer.write((tx) => cancelWaiting(tx, 'restore_hold', reason, 500))
      model.stopWaiting(({ heldBack }) => heldBack, decision === 'canceled' ? 'canceled' : 'unconfirmed')
    }),
  )

const cancel = account.map((accountId) =>
  step(`cancel all of ${accountId}`, async (model, real) => {
    const reason = { event: 'canceled', code: 'account_closed', nowMs: real.clock.now() } as const
    await real.store.writer.write((tx) => cancelWaiting(tx, { accountId }, reason, 500))
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
      if (model.available(accountId) + sms < 0)
        return expect(granting).rejects.toThrow('cannot be taken back')
      await granting
      model.wallet(accountId).granted += sms
    }),
  )

/** What happens often in life happens often here: each is drawn as often as it is named. */
export const commands: fc.Arbitrary<Command>[] = [
  send, send, send, claim, claim, claim, end, end, end, receipts, receipts, pass, endAgain, age, restore, decide, cancel, grant,
] // prettier-ignore

/** Messages and wallets of the store are those of the model. */
async function expectAlike(model: Model, { store, clock }: Real): Promise<void> {
  const rows = await store.db
    .selectFrom('messages')
    .select([
      'id',
      'status',
      'charged',
      'cost_state',
      'attempts',
      'possible_duplicate',
      'corrected',
      'finalized_at',
    ])
    .orderBy('id')
    .execute()
  expect(
    rows.map(({ finalized_at, ...row }) => ({
      ...row,
      final: finalized_at !== null && finalized_at <= clock.now(),
    })),
  ).toEqual(
    [...model.messages.values()]
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((message) => ({
        id: message.id,
        status: message.status,
        charged: message.charged,
        cost_state: message.cost,
        attempts: message.attempts,
        possible_duplicate: message.wentAgain ? 1 : 0,
        corrected: message.wasCorrected ? 1 : 0,
        final: message.isFinal,
      })),
  )
  const wallets = await store.db
    .selectFrom('wallets')
    .select(['account_id', 'granted', 'reserved', 'used'])
    .where('mode', '=', 'live')
    .orderBy('account_id')
    .execute()
  expect(wallets).toEqual(
    accounts.map((name) => ({ account_id: name, ...model.wallet(name), reserved: model.reserved(name) })),
  )
}
