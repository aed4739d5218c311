import type { IncomingHttpHeaders } from 'node:http'
import type { TObject, TSchema } from 'typebox'
import type { OperatorCaller, OperatorScope } from '../../accounts/keys/operator-tokens.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import type { ProblemCode } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { AccountStateDeps } from '../change-account-state.ts'
import type { DocumentedAnswer } from '../operation.ts'
import { idempotencyKeyForm } from '../v1/idempotency-key.ts'

/** What the operations of the operator's interface work with. It sees all accounts: nothing of it is read for one. */
export interface OperatorDeps {
  read: Db
  writer: Writer
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  ids: Ids
  config: Pick<Config, 'setUpLinkHours' | 'resetLinkHours'>
  holdHorizon: AccountStateDeps['holdHorizon']
  openAccount(
    tx: Tx,
    nowMs: number,
    account: { name: string; email: string; userId?: string; actor: string },
  ): Promise<{ accountId: string; userId: string; isNewUser: boolean; liveKey: string; testKey: string }>
  /** The address that others know the service by. */
  publicUrl: () => string
}

/** One operation of `/operator/v1`, all about it in one file. `:account` in a path is the id of an account. */
export interface OperatorOperation {
  id: string
  method: 'GET' | 'POST'
  path: `/operator/v1/${string}`
  scope: OperatorScope
  summary: string
  description: string
  body?: { schema: TObject; examples: Readonly<Record<string, { summary: string; value: unknown }>> }
  query?: TObject
  headers?: TSchema
  answers: Readonly<Partial<Record<200 | 201, DocumentedAnswer>>>
  problems: readonly ProblemCode[]
  handle(deps: OperatorDeps, call: OperatorCall): Promise<OperatorAnswer>
}

/** One authenticated request. */
export interface OperatorCall {
  caller: OperatorCaller
  /** The id in the path; empty where there is none. */
  accountId: string
  rawQuery: string
  body: unknown
  headers: IncomingHttpHeaders
}

export interface OperatorAnswer {
  status: 200 | 201
  body: object
  headers?: Readonly<Record<string, string>>
}

/** The header of what is done once, however often it is asked for. */
export const IdempotencyHeader = {
  type: 'object',
  required: ['Idempotency-Key'],
  properties: {
    'Idempotency-Key': {
      type: 'string',
      ...idempotencyKeyForm,
      description:
        'Yours, for what is asked for: 1 to 255 visible ASCII characters, bare or quoted, such as the number of an invoice. The same key and body again changes nothing and gives the same answer with `Idempotent-Replayed: true`; another body is refused (422 `idempotency_key_reused`).',
    },
  },
} as unknown as TSchema

/** What says that nothing was done anew. */
export const replayedHeader = {
  'Idempotent-Replayed': {
    description: '`true` when this was done before, under the same key.',
    schema: { type: 'string', enum: ['true'] } as unknown as TSchema,
  },
}
