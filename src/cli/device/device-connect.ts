import { factsOf, phoneKinds } from '../../connectors/registry.ts'
import { command, type Output } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { connectGuided } from './guide/connect-guided.ts'
import { isTerminal } from '../core/terminal.ts'
import { connectLocal, type LocalOptions } from './connect-local.ts'
import { connectPhone, revokeTokens } from './connect-phone.ts'
import { findDevice, loadKind } from './device-lookup.ts'
import type { CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'
import { modeOption } from '../core/common-options.ts'

export const connect = command({
  summary: 'Connects a phone.',
  details:
    'Without options, on a terminal, it guides step by step: app, connection, permissions, battery, number, a daily limit, a test SMS and its answer; for a phone of one account or a shared one, for live or test messages. With --account or --shared it prints the API URL and a private token to enter in the app, and waits for the phone. Each run creates a new token; several phones can use the same one. With --json it does not wait. With --local the server visits the phone instead, over the Local Server of its app: nothing but the address and the password that the app shows is needed; for a device ID, they replace the former ones.',
  arguments: [
    {
      name: 'kind-or-device',
      summary: `Kind of the device: ${phoneKinds.join(', ')}; or a device ID. Without it, the guide.`,
      optional: true,
    },
  ],
  options: {
    account: { type: 'text', value: 'ACCOUNT', summary: 'Account that owns the phones.' },
    shared: { type: 'flag', summary: 'Owned by the operator; all accounts can use the phones.' },
    mode: modeOption('Messages that the phones send. Default: live.'),
    local: {
      type: 'text',
      value: 'HOST[:PORT]',
      summary: 'Address of the Local Server of the app in this network. Port 8080 if omitted.',
    },
    user: {
      type: 'text',
      value: 'NAME',
      summary: 'With --local: user name of the Local Server. Default: sms.',
    },
    'password-stdin': {
      type: 'flag',
      summary: 'With --local: read its password from standard input instead of asking for it.',
    },
    'revoke-tokens': { type: 'flag', summary: 'Revoke all private tokens of the account instead.' },
  },
  async run(tools, { options, arguments: [named], json }) {
    const isGuided = !json && isTerminal(tools.io) && Object.values(options).every((value) => !value)
    if (isGuided && (named === undefined || phoneKinds.includes(named)))
      return connectGuided(tools, named ?? (phoneKinds[0] as string))
    if (named === undefined)
      throw new UsageError(
        `Missing argument [kind-or-device]: ${phoneKinds.join(', ')} or a device ID. Without it, the guide needs a terminal.`,
      )
    const { account, shared, mode = 'live', local } = options
    if (local === undefined && (options.user !== undefined || options['password-stdin']))
      throw new UsageError('--user and --password-stdin need --local.')
    if (named.startsWith('dev_'))
      return local === undefined
        ? explainDevice(tools, named)
        : reconnect(tools, named, { ...options, local })
    const loaded = await loadKind(named)
    const { kind } = loaded
    if (factsOf(kind)?.isPhone !== true) return nothingToConnect({ kind })
    if (shared === (account !== undefined)) throw new UsageError('Give either --account ACCOUNT or --shared.')
    const accountId = account ?? null
    if (local !== undefined) return connectLocal(tools, loaded, { accountId, mode }, { ...options, local })
    return options['revoke-tokens']
      ? tools.withStorage((storage) => revokeTokens(storage, tools, accountId))
      : connectPhone(tools, { accountId, mode }, json)
  },
})

async function reconnect(tools: CommandContext, deviceId: string, options: LocalOptions): Promise<Output> {
  const { kind } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
  return connectLocal(tools, await loadKind(kind), { deviceId }, options)
}

async function explainDevice(tools: CommandContext, deviceId: string): Promise<Output> {
  const { kind, accountId } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
  if (factsOf(kind)?.isPhone !== true) return nothingToConnect({ id: deviceId, kind })
  const owner = accountId === null ? '--shared' : `--account ${accountId}`
  return {
    json: { id: deviceId, kind, connectable: true },
    text: `A phone connects with the API URL and private token in its app. If they are lost, create a new private token with ${ownCommand()} device connect ${kind} ${owner}. The phone then registers as a new device; merge it with this one: ${ownCommand()} device same ${deviceId} dev_NEW`,
  }
}

const nothingToConnect = (device: { id?: string; kind: string }): Output => ({
  json: { ...device, connectable: false },
  text: `The server connects devices of the kind ${device.kind} by itself.`,
})
