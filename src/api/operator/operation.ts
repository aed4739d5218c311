import type { TSchema } from 'typebox'
import type { OperatorCaller, OperatorScope } from '../../accounts/keys/operator-tokens.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import type { RouteExplanation, RouteQuestion } from '../../dispatch/routes/explain-question.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { Call, Operation } from '../edge/operation.ts'
import { idempotencyKeyForm } from '../edge/idempotency-key.ts'

/** Dependencies of the operator API. It has access to all accounts: no read is limited to one. */
export interface OperatorDeps {
  read: Db
  writer: Writer
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  ids: Ids
  config: Pick<Config, 'setUpLinkHours' | 'resetLinkHours'>
  openAccount(
    tx: Tx,
    nowMs: number,
    account: { name: string; email: string; userId?: string; actor: string },
  ): Promise<{ accountId: string; userId: string; isNewUser: boolean; liveKey: string; testKey: string }>
  /** Explains which way a message would go now. */
  explainRoute(question: RouteQuestion): Promise<RouteExplanation>
  /** Public URL of the service. */
  publicUrl: () => string
}

/** One operation of `/operator/v1`. */
export interface OperatorOperation extends Operation<OperatorDeps, OperatorCaller, OperatorScope> {
  path: `/operator/v1/${string}`
}

/** One request with an API token of the operator. */
export type OperatorCall = Call<OperatorCaller>

/** The header of operations that run only once per key. */
export const IdempotencyHeader = {
  type: 'object',
  required: ['Idempotency-Key'],
  properties: {
    'Idempotency-Key': {
      type: 'string',
      ...idempotencyKeyForm,
      description:
        'Your key for this request: 1 to 255 visible ASCII characters, bare or quoted, for example an invoice number. The same key and body again change nothing and return the same response with `Idempotent-Replayed: true`; another body is rejected (422 `idempotency_key_reused`).',
    },
  },
} as unknown as TSchema

/** The response header of a repeated request. */
export const replayedHeader = {
  'Idempotent-Replayed': {
    description: '`true` when an earlier request with the same key already did this.',
    schema: { type: 'string', enum: ['true'] } as unknown as TSchema,
  },
}
