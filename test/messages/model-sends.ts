import fc from 'fast-check'
import { expect } from 'vitest'
import { priorityOf } from '../../src/messages/core/route-key.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { sendRequest } from '../send-request.ts'
import type { ModelMessage } from './model-message.ts'
import { account, type Real, step } from './model-step.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { acceptedAs } from '../../src/messages/send/send-ids.ts'
import { together } from '../../src/storage/seam/sets.ts'

const categories = ['authentication', 'transactional', 'marketing'] as const
const validitiesMs = [60_000, 86_400_000] as const

const sendShape = fc.record({
  account,
  recipients: fc.integer({ min: 1, max: 3 }),
  parts: fc.integer({ min: 1, max: 3 }),
  resendOnce: fc.boolean(),
  category: fc.constantFrom(...categories),
  validityMs: fc.constantFrom(...validitiesMs),
  isForced: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0),
  purse: fc.constantFrom('balance' as const, 'balance' as const, 'own' as const, 'fallback' as const),
  /** SMS a day of its key, and messages that may wait; 0 is no limit. */
  dailyCap: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 2 }),
  queueLimit: fc.constantFrom(0, 0, 3, 6),
  key: fc.option(fc.constantFrom('k1', 'k2'), { freq: 4 }),
})
type SendShape = typeof sendShape extends fc.Arbitrary<infer T> ? T : never

export const send = fc.array(sendShape, { minLength: 1, maxLength: 4 }).map((shapes) =>
  step(`send ${JSON.stringify(shapes)}`, async (model, real) => {
    const distinct = shapes.filter(
      (shape, i) =>
        shape.key === null ||
        !shapes.slice(0, i).some((other) => other.key === shape.key && other.account === shape.account),
    )
    const requests = distinct.map((shape) => requestOf(shape, real))
    const results = await real.store.writer.write((tx) =>
      together(tx, () => sendMessages(tx, requests, takeChange(tx, real.clock.now()))),
    )
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
      } else if (shape.queueLimit > 0 && model.waiting(shape.account) + shape.recipients > shape.queueLimit) {
        expect(result).toMatchObject({ kind: 'refused', code: 'queue_full' })
      } else if (
        shape.dailyCap !== null &&
        model.capUsed(shape.account, request.createdAt) + needed > shape.dailyCap
      ) {
        expect(result).toMatchObject({ kind: 'refused', code: 'rate_limited' })
      } else if (shape.purse !== 'own' && needed > model.available(shape.account)) {
        expect(result).toMatchObject({ kind: 'refused', code: 'insufficient_balance' })
      } else {
        if (shape.dailyCap !== null) model.useCap(shape.account, request.createdAt, needed)
        if (result.kind !== 'accepted') throw new Error(`a send was ${result.kind}`)
        const { sendId, messageIds } = acceptedAs(request, result.place)
        for (const id of messageIds) model.messages.set(id, modelMessage(id, shape, request))
        expect(result).toMatchObject({ kind: 'accepted', balanceAvailable: model.available(shape.account) })
        const { createdAt } = request
        if (shape.key !== null) model.keys.set(name, { sendId, messageIds, createdAt })
      }
    })
  }),
)

const requestOf = (shape: SendShape, { ids, clock }: Real): SendRequest =>
  sendRequest(
    { ids, nowMs: clock.now() },
    {
      to: Array.from({ length: shape.recipients }, (_, i) => `+4915112345${100 + i}`),
      accountId: shape.account,
      keyId: `key_${shape.account}`,
      dailyCap: shape.dailyCap,
      queueLimit: shape.queueLimit,
      ...(shape.isForced ? { encodingForced: true } : {}),
      idempotency: shape.key === null ? null : { key: shape.key, fingerprint: 'f' },
      category: shape.category,
      parts: shape.parts,
      ...(shape.purse === 'own' ? { paidBy: 'own_device' } : {}),
      ...(shape.purse === 'fallback' ? { fallback: 'shared' } : {}),
      onUnknown: shape.resendOnce ? 'resend_once' : 'stop',
      expiresAt: clock.now() + shape.validityMs,
    },
  )

const modelMessage = (id: string, shape: SendShape, { createdAt, expiresAt }: SendRequest): ModelMessage => ({
  id,
  account: shape.account,
  parts: shape.parts,
  isForced: shape.isForced,
  resendOnce: shape.resendOnce,
  purse: shape.purse,
  paidBy: shape.purse === 'own' ? 'own_device' : 'balance',
  devices: new Map(),
  priority: priorityOf(shape.category),
  createdAt,
  dueAt: createdAt,
  expiresAt,
  status: 'queued',
  charged: 0,
  cost: 'held',
  isFinal: false,
  settledAt: 0,
  wasCorrected: false,
  wentAgain: false,
  attempts: 0,
  tries: new Map(),
  ended: new Set(),
  lost: new Map(),
  refusals: 0,
  partsTaken: 0,
  heldBack: false,
  waitedFor: new Map(),
})
