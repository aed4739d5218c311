import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import {
  createOperatorToken,
  type ListedOperatorToken,
  operatorScopes,
  readTokens,
  revokeOperatorToken,
} from '../../../accounts/keys/operator-tokens.ts'
import { defineCall, type UserContext } from '../core/call.ts'

/** API tokens of the operator API. */
export const operatorTokenCalls = {
  'operator/tokens': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object({}, closed),
    handle: async ({ read, clock }): Promise<{ tokens: ListedOperatorToken[] }> => ({
      tokens: await readTokens(read, clock.now()),
    }),
  }),
  /** Returns the token, only once. */
  'operator/create-token': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        scope: Type.Enum([...operatorScopes]),
        expiresAt: Type.Union([Type.Integer(), Type.Null()]),
      },
      closed,
    ),
    async handle(context, wanted): Promise<{ tokenId: string; token: string }> {
      const { tokenId, token } = await context.writer.write((tx) =>
        createOperatorToken(tx, { ...depsOf(context), randomBytes }, { ...wanted, actor: context.actor }),
      )
      return { tokenId, token }
    },
  }),
  'operator/revoke-token': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ tokenId: Type.String({ pattern: '^otk_[0-9a-z]{26}$' }) }, closed),
    handle: (context, { tokenId }): Promise<{ revoked: boolean }> =>
      context.writer.write(async (tx) => ({
        revoked: await revokeOperatorToken(tx, depsOf(context), { tokenId, actor: context.actor }),
      })),
  }),
}

const depsOf = ({ ids, clock }: UserContext) => ({ ids, nowMs: clock.now() })
