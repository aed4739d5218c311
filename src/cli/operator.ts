import {
  createOperatorToken,
  operatorScopes,
  readTokens,
  revokeOperatorToken,
} from '../accounts/operator-tokens.ts'
import { rfc3339OrNull } from '../clock.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { listedSecret, revoked, secretLine } from './listed-secret.ts'
import { readTime } from './read-time.ts'
import { cliActor } from './toolbox.ts'

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
      json: { id: made.tokenId, token: made.token, scope, expires_at: rfc3339OrNull(expiresAt) },
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
    const lines = tokens.map((token) => secretLine(token, token.scope.padEnd(5)))
    return {
      json: { tokens: tokens.map((token) => ({ ...listedSecret(token), scope: token.scope })) },
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
    return revoked(tokenId, changed)
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
