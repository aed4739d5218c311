import { setOwnDevices } from '../../accounts/core/own-devices.ts'
import type { OwnDevicePrice } from '../../storage/tables/schema.ts'
import { command } from '../core/command.ts'
import { cliActor } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'
import { accountOption } from '../core/common-options.ts'

export const ownDevicesCommand = command({
  summary: 'Sets what messages over the own devices of an account cost.',
  details:
    'With --free, live messages that the own phones, modems or links of the account can carry cost nothing, and no shared device ever carries them: without a working own device they wait, and expire at the end of their validity period. A send with fallback "shared" may be carried by both. Simulators are always charged. Sends that were accepted before are not changed.\n\nWith several nodes, use --free only when all of them run this version: an older one does not know the routes of such messages, and gives them to any device.',
  arguments: [],
  options: {
    account: accountOption,
    free: { type: 'flag', summary: 'They cost nothing.' },
    charged: { type: 'flag', summary: 'They are taken off the balance.' },
  },
  async run(tools, { options }) {
    const { account: accountId, free, charged } = options
    if (free === charged) throw new UsageError('Give one of --free and --charged.')
    const price: OwnDevicePrice = free ? 'free' : 'charged'
    await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        setOwnDevices(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, price, actor: cliActor }),
      ),
    )
    return {
      json: { account_id: accountId, own_devices: price },
      text: `Messages over own devices of ${accountId} ${free ? 'cost nothing' : 'are charged'}.`,
    }
  },
})
