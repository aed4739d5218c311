import { describeSearch, findLocal } from '../../connectors/find-local.ts'
import { machineNetworks } from '../../connectors/own-networks.ts'
import { phoneKinds } from '../../connectors/registry.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { loadKind } from './device-lookup.ts'
import { ownCommand } from '../../process/own-command.ts'

export const find = command({
  summary: "Finds phones with an open Local Server in this machine's own networks.",
  details:
    'Asks each address of the IPv4 networks of this machine, up to /22, for the health of the app. Sends no password and connects nothing.',
  arguments: [],
  options: { port: { type: 'number', value: 'PORT', summary: 'Port of the Local Server. Default: 8080.' } },
  async run(tools, { options }) {
    const kinds = await Promise.all(phoneKinds.map(loadKind))
    const local = kinds.find((kind) => kind.local !== undefined)?.local
    if (local === undefined) throw new Error('no kind of device can be found')
    const { port = local.defaultPort } = options
    if (port < 1 || port > 65_535) throw new UsageError('--port must be from 1 to 65535.')
    const found = await findLocal({ local }, tools.clock, machineNetworks(), { port })
    const { phones, asked, networks, tooLarge } = found
    return {
      json: {
        asked,
        networks,
        too_large: tooLarge,
        phones: phones.map(({ address, appVersion }) => ({ address, app_version: appVersion })),
      },
      text: [
        ...phones.map(({ address, appVersion }) => `${address}  app ${appVersion}`),
        ...describeSearch(found),
        ...(phones.length > 0
          ? [`Connect one with ${ownCommand()} device connect android --local ADDRESS --account acc_…`]
          : ['In the app, switch Local Server on and tap Offline; it shows its address.']),
      ].join('\n'),
    }
  },
})
