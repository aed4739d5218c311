import { apiKeyScopes, createApiKey, listApiKeys, revokeApiKey } from '../accounts/api-keys.ts'
import { requireAccount } from '../accounts/list-accounts.ts'
import { rfc3339OrNull } from '../clock.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { listedSecret, revoked, secretLine } from './listed-secret.ts'
import { readTime } from './read-time.ts'
import { cliActor } from './toolbox.ts'

const account = { type: 'text', value: 'ACCOUNT', says: 'Id of the account: acc_…', required: true } as const

const create = command({
  summary: 'Creates an API key and shows it this once.',
  details: `Scopes: ${apiKeyScopes.join(', ')}. An account may have 10 active keys.`,
  arguments: [],
  options: {
    account,
    name: { type: 'text', value: 'NAME', says: 'What it is for.', required: true },
    mode: { type: 'text', value: 'MODE', says: 'Live when left out.', choices: ['live', 'test'] },
    scope: {
      type: 'text',
      value: 'SCOPE',
      says: 'What it may do; everything when left out.',
      choices: apiKeyScopes,
      repeatable: true,
    },
    address: {
      type: 'text',
      value: 'CIDR',
      says: 'Address or network that it may be used from; any when left out.',
      repeatable: true,
    },
    'daily-cap': {
      type: 'number',
      value: 'N',
      says: 'SMS that it may send a UTC day; no cap when left out.',
    },
    expires: {
      type: 'text',
      value: 'TIME',
      says: 'When it ends, as 2027-01-31T00:00:00Z; never when left out.',
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
      text: `${key.keyId}\n${key.token}\nThe key is shown this once: only its hash is stored.`,
    }
  },
})

const list = command({
  summary: 'Lists the API keys of an account, newest first. Keys themselves cannot be shown again.',
  arguments: [],
  options: { account },
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
      text: lines.length === 0 ? 'This account has no keys.' : lines.join('\n'),
    }
  },
})

const revoke = command({
  summary: 'Revokes an API key for ever; a running server refuses it within 5 s.',
  arguments: [],
  options: {
    key: { type: 'text', value: 'KEY', says: 'Id of the key: key_…, never the key itself.', required: true },
  },
  async run(tools, { options }) {
    if (!options.key.startsWith('key_'))
      throw new UsageError('--key needs the id of a key (key_…), as `onesixty key list` shows it.')
    const changed = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        revokeApiKey(tx, { ...tools, nowMs: tools.clock.now() }, { keyId: options.key, actor: cliActor }),
      ),
    )
    return revoked(options.key, changed)
  },
})

export const keyCommands: CommandGroup = {
  summary: 'API keys: what programs sign in with.',
  commands: { create, list, revoke },
}
