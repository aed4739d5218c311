import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import {
  apiKeyScopes,
  createApiKey,
  type ListedApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../accounts/keys/api-keys.ts'
import { limitApiKeys } from '../../../accounts/keys/limit-api-keys.ts'
import { longestOverlapHours, rotateApiKey } from '../../../accounts/keys/rotate-api-key.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import { type AccountContext, defineCall } from '../core/call.ts'

/** A new API key, which is shown only once. */
export interface NewKeyAnswer {
  keyId: string
  token: string
}

/** Expired and revoked keys are listed too, so that a key in a log line can be found. */
const maxListed = 200

export const keyCalls = {
  'keys/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, clock, account }): Promise<{ keys: ListedApiKey[] }> {
      const keys = await listApiKeys(read, { accountId: account.id, nowMs: clock.now(), limit: maxListed })
      return { keys: keys.filter(({ mode }) => mode === account.mode) }
    },
  }),
  'keys/create': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        scopes: Type.Array(Type.Enum([...apiKeyScopes]), { maxItems: 10 }),
        addresses: Type.Array(Type.String({ maxLength: 50 }), { maxItems: 100 }),
        dailyCap: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
        expiresAt: Type.Union([Type.Integer(), Type.Null()]),
      },
      closed,
    ),
    async handle(context, input): Promise<NewKeyAnswer> {
      const { account, actor } = context
      const { keyId, token } = await context.writer.write((tx) =>
        createApiKey(tx, depsOf(context), { ...input, accountId: account.id, mode: account.mode, actor }),
      )
      return { keyId, token }
    },
  }),
  /** Gives every key that sends and has no daily limit this one. */
  'keys/limit': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ dailyCap: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }) }, closed),
    async handle(context, { dailyCap }): Promise<{ limited: number }> {
      const { account, actor } = context
      const whose = { accountId: account.id, mode: account.mode, actor }
      const limited = await context.writer.write((tx) =>
        limitApiKeys(tx, depsOf(context), { ...whose, dailyCap }),
      )
      return { limited }
    },
  }),
  'keys/revoke': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ keyId: Type.String() }, closed),
    handle: (context, { keyId }): Promise<{ revoked: boolean }> =>
      context.writer.write(async (tx) => {
        await refuseForeign(tx, context, keyId)
        return { revoked: await revokeApiKey(tx, depsOf(context), { keyId, actor: context.actor }) }
      }),
  }),
  'keys/rotate': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      { keyId: Type.String(), overlapHours: Type.Integer({ minimum: 0, maximum: longestOverlapHours }) },
      closed,
    ),
    handle: (context, input): Promise<NewKeyAnswer & { oldExpiresAt: number }> =>
      context.writer.write((tx) =>
        rotateApiKey(tx, depsOf(context), { ...input, accountId: context.account.id, actor: context.actor }),
      ),
  }),
}

const depsOf = ({ ids, clock }: AccountContext) => ({ ids, nowMs: clock.now(), randomBytes })

async function refuseForeign(tx: Tx, { account }: AccountContext, keyId: string): Promise<void> {
  const key = await tx
    .selectFrom('api_keys')
    .select('account_id')
    .where('id', '=', keyId)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (key === undefined) throw refuse('not_found', { detail: `API key ${keyId} not found.` })
}
