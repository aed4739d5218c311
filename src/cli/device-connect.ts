import { command, type Output } from './command.ts'
import { UsageError } from './command-errors.ts'
import { connectPhone, revokeTokens } from './connect-phone.ts'
import { findDevice, loadKind } from './device-lookup.ts'
import type { Toolbox } from './toolbox.ts'

export const connect = command({
  summary: 'Connects a device that a person has to connect: a phone.',
  details:
    'Shows the address and a private token, which are typed into the app, and waits for the phone. Each call makes a token of its own; any number of phones may use one. With --json it does not wait.',
  arguments: [{ name: 'kind-or-device', says: 'A kind, such as android; or the id of a device.' }],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Whose phones register with it.' },
    shared: { type: 'flag', says: "The operator's: every account may use them." },
    mode: {
      type: 'text',
      value: 'MODE',
      says: 'Which messages they carry; live when left out.',
      choices: ['live', 'test'],
    },
    'revoke-tokens': { type: 'flag', says: 'Revoke every private token of the account instead.' },
  },
  async run(tools, { options, arguments: [named = ''], json }) {
    const { account, shared, mode = 'live' } = options
    if (named.startsWith('dev_')) return explainDevice(tools, named)
    const { kind } = await loadKind(named)
    if (kind !== 'android') return nothingToConnect({ kind })
    if (shared === (account !== undefined))
      throw new UsageError('Say whose it is: either --account ACCOUNT or --shared.')
    const accountId = account ?? null
    return options['revoke-tokens']
      ? tools.withStorage((storage) => revokeTokens(storage, tools, accountId))
      : connectPhone(tools, { accountId, mode }, json)
  },
})

async function explainDevice(tools: Toolbox, deviceId: string): Promise<Output> {
  const { kind, accountId } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
  if (kind !== 'android') return nothingToConnect({ id: deviceId, kind })
  const owner = accountId === null ? '--shared' : `--account ${accountId}`
  return {
    json: { id: deviceId, kind, connectable: true },
    text: `A phone connects by itself with what was typed into its app. If that is lost, onesixty device connect android ${owner} makes a new private token. With it the phone registers as a new device: onesixty device same ${deviceId} dev_NEW says that it is this one.`,
  }
}

const nothingToConnect = (device: { id?: string; kind: string }): Output => ({
  json: { ...device, connectable: false },
  text: `A device of the kind ${device.kind} has nothing to connect: the server connects it by itself.`,
})
