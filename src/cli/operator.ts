import {
  createOperatorToken,
  operatorScopes,
  readTokens,
  revokeOperatorToken,
} from '../accounts/operator-tokens.ts'
import { rfc3339 } from '../clock.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { readTime } from './read-time.ts'
import { cliActor } from './toolbox.ts'

const timeOf = (at: number | null): string | null => (at === null ? null : rfc3339(at))

const create = command({
  summary: 'Creates a token for /operator/v1 and shows it this once.',
  details:
    'For programs of the operator, such as a billing system: they open accounts, grant SMS and read what was used. No API key works there, and no such token at /api/v1.',
  arguments: [],
  options: {
    name: { type: 'text', value: 'NAME', says: 'What it is for.', required: true },
    scope: {
      type: 'text',
      value: 'SCOPE',
      says: 'What it may do; write reads too. Read when left out.',
      choices: operatorScopes,
    },
    expires: {
      type: 'text',
      value: 'TIME',
      says: 'When it ends, as 2027-01-31T00:00:00Z; never when left out.',
    },
  },
  async run(tools, { options }) {
    const { name, scope = 'read', expires } = options
    const expiresAt = expires === undefined ? null : readTime('--expires', expires)
    const made = await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        createOperatorToken(
          tx,
          { ...tools, nowMs: tools.clock.now() },
          { name, scope, expiresAt, actor: cliActor },
        ),
      ),
    )
    return {
      json: { id: made.tokenId, token: made.token, scope, expires_at: timeOf(expiresAt) },
      text: `${made.tokenId}\n${made.token}\nThe token is shown this once: only its hash is stored.`,
    }
  },
})

const list = command({
  summary: 'Lists the tokens, newest first. Tokens themselves cannot be shown again.',
  arguments: [],
  options: {},
  async run(tools) {
    const tokens = await tools.withStorage(({ read }) => readTokens(read, tools.clock.now()))
    const lines = tokens.map(
      (token) =>
        `${token.id}  ${token.scope.padEnd(5)}  …${token.lastFour}  ${token.state.padEnd(7)}  last used ${timeOf(token.lastUsedAt) ?? 'never'}  ${token.name}`,
    )
    return {
      json: {
        tokens: tokens.map((token) => ({
          id: token.id,
          name: token.name,
          last_four: token.lastFour,
          scope: token.scope,
          state: token.state,
          created_at: rfc3339(token.createdAt),
          expires_at: timeOf(token.expiresAt),
          revoked_at: timeOf(token.revokedAt),
          last_used_at: timeOf(token.lastUsedAt),
        })),
      },
      text: lines.length === 0 ? 'There are no tokens.' : lines.join('\n'),
    }
  },
})

const revoke = command({
  summary: 'Revokes a token for ever; every running server refuses it at once.',
  arguments: [],
  options: {
    token: {
      type: 'text',
      value: 'TOKEN',
      says: 'Id of the token: otk_…, never the token itself.',
      required: true,
    },
  },
  async run(tools, { options: { token: tokenId } }) {
    if (!tokenId.startsWith('otk_'))
      throw new UsageError(
        '--token needs the id of a token (otk_…), as `onesixty operator token list` shows it.',
      )
    const changed = await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        revokeOperatorToken(tx, { ...tools, nowMs: tools.clock.now() }, { tokenId, actor: cliActor }),
      ),
    )
    return {
      json: { id: tokenId, state: 'revoked', changed },
      text: `${tokenId} is ${changed ? 'now' : 'already'} revoked.`,
    }
  },
})

export const operatorCommands: CommandGroup = {
  summary: 'The operator’s interface for programs, /operator/v1.',
  commands: {
    token: {
      summary: 'Tokens: what programs of the operator sign in with. create, list, revoke.',
      commands: { create, list, revoke },
    },
  },
}
