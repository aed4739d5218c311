import {
  createOperatorToken,
  operatorScopes,
  readTokens,
  revokeOperatorToken,
} from '../../accounts/keys/operator-tokens.ts'
import { rfc3339OrNull } from '../../runtime/clock.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { listedSecret, revoked, secretLine } from '../core/listed-secret.ts'
import { readTime } from '../core/read-time.ts'
import { cliActor } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

const create = command({
  summary: 'Creates an API token for /operator/v1 and prints it. The token is shown only once.',
  details:
    'For clients of the operator, such as a billing system that creates accounts, grants SMS and reads usage. API keys do not work at /operator/v1, nor do these tokens at /api/v1.',
  arguments: [],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'Display name.', required: true },
    scope: {
      type: 'text',
      value: 'SCOPE',
      summary: 'Permission of the token; write includes read. Default: read.',
      choices: operatorScopes,
    },
    expires: {
      type: 'text',
      value: 'TIME',
      summary: 'Expiry time, for example 2027-01-31T00:00:00Z. Default: never.',
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
      text: `${made.tokenId}\n${made.token}\nThe token is shown only once: only its hash is stored.`,
    }
  },
})

const list = command({
  summary: 'Lists the API tokens, newest first. The tokens themselves cannot be shown again.',
  arguments: [],
  options: {},
  async run(tools) {
    const tokens = await tools.withStorage(({ read }) => readTokens(read, tools.clock.now()))
    const lines = tokens.map((token) => secretLine(token, token.scope.padEnd(5)))
    return {
      json: { tokens: tokens.map((token) => ({ ...listedSecret(token), scope: token.scope })) },
      text: lines.length === 0 ? 'No API tokens.' : lines.join('\n'),
    }
  },
})

const revoke = command({
  summary: 'Revokes an API token permanently. All running servers reject it immediately.',
  arguments: [],
  options: {
    token: {
      type: 'text',
      value: 'TOKEN',
      summary: 'Token ID (otk_…), not the token itself.',
      required: true,
    },
  },
  async run(tools, { options: { token: tokenId } }) {
    if (!tokenId.startsWith('otk_'))
      throw new UsageError(
        `--token must be a token ID (otk_…), as listed by \`${ownCommand()} operator token list\`.`,
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
  summary: 'The operator API, /operator/v1.',
  commands: {
    token: {
      summary: 'API tokens: create, list, revoke.',
      commands: { create, list, revoke },
    },
  },
}
