import { apiKeyScopes, createApiKey, listApiKeys, revokeApiKey } from '../../accounts/keys/api-keys.ts'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { rfc3339OrNull } from '../../runtime/clock.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { listedSecret, revoked, secretLine } from '../core/listed-secret.ts'
import { readTime } from '../core/read-time.ts'
import { cliActor } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

const create = command({
  summary: 'Creates an API key and prints it. The key is shown only once.',
  details: `Scopes: ${apiKeyScopes.join(', ')}. An account can have up to 10 active keys.`,
  arguments: [],
  options: {
    account: accountOption,
    name: { type: 'text', value: 'NAME', summary: 'Display name.', required: true },
    mode: modeOption('Mode of the key. Default: live.'),
    scope: {
      type: 'text',
      value: 'SCOPE',
      summary: 'Permission of the key. Default: all.',
      choices: apiKeyScopes,
      repeatable: true,
    },
    address: {
      type: 'text',
      value: 'CIDR',
      summary: 'Allowed IP address or network. Default: any.',
      repeatable: true,
    },
    'daily-cap': {
      type: 'number',
      value: 'N',
      summary: 'Maximum SMS a day (UTC). Default: no limit.',
    },
    expires: {
      type: 'text',
      value: 'TIME',
      summary: 'Expiry time, for example 2027-01-31T00:00:00Z. Default: never.',
    },
  },
  async run(tools, { options }) {
    const { account: accountId, name, mode = 'live', scope, address } = options
    const expiresAt = options.expires === undefined ? null : readTime('--expires', options.expires)
    const key = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        createApiKey(
          tx,
          { ...tools, nowMs: tools.clock.now() },
          {
            accountId,
            mode,
            name,
            ...(scope.length === 0 ? {} : { scopes: scope }),
            addresses: address,
            dailyCap: options['daily-cap'] ?? null,
            expiresAt,
            actor: cliActor,
          },
        ),
      ),
    )
    return {
      json: {
        id: key.keyId,
        account_id: accountId,
        mode,
        key: key.token,
        expires_at: rfc3339OrNull(expiresAt),
      },
      text: `${key.keyId}\n${key.token}\nThe key is shown only once: only its hash is stored.`,
    }
  },
})

const list = command({
  summary: 'Lists the API keys of an account, newest first. The keys themselves cannot be shown again.',
  arguments: [],
  options: { account: accountOption },
  async run(tools, { options }) {
    const request = { accountId: options.account, nowMs: tools.clock.now(), limit: 1_000 }
    const keys = await tools.withStorage(async ({ read }) => {
      await requireAccount(read, options.account)
      return listApiKeys(read, request)
    })
    const lines = keys.map((key) => secretLine(key, key.mode))
    return {
      json: {
        keys: keys.map((key) => ({
          ...listedSecret(key),
          mode: key.mode,
          scopes: key.scopes,
          addresses: key.addresses,
          daily_cap: key.dailyCap,
        })),
      },
      text: lines.length === 0 ? 'No API keys.' : lines.join('\n'),
    }
  },
})

const revoke = command({
  summary: 'Revokes an API key permanently. A running server rejects it within 5 s.',
  arguments: [],
  options: {
    key: { type: 'text', value: 'KEY', summary: 'Key ID (key_…), not the key itself.', required: true },
  },
  async run(tools, { options }) {
    if (!options.key.startsWith('key_'))
      throw new UsageError(`--key must be a key ID (key_…), as listed by \`${ownCommand()} key list\`.`)
    const changed = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        revokeApiKey(tx, { ...tools, nowMs: tools.clock.now() }, { keyId: options.key, actor: cliActor }),
      ),
    )
    return revoked(options.key, changed)
  },
})

export const keyCommands: CommandGroup = {
  summary: 'API keys: they authenticate clients of the API.',
  commands: { create, list, revoke },
}
