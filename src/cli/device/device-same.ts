import { takeOverPhone } from '../../devices/phones/same-phone.ts'
import { command } from '../core/command.ts'
import { deviceArgument } from './device-lookup.ts'
import { cliActor } from '../core/command-context.ts'

export const same = command({
  summary: 'Merges a phone that registered as a new device with its former device.',
  details:
    'For an app that was reinstalled: since Android 10 it cannot be recognised by its SIMs. The former device keeps its name, settings, senders and rate limit, and the new device is removed. Possible only before a message is submitted to the new device.',
  arguments: [deviceArgument, { name: 'new-device', summary: 'ID of the new device: dev_…' }],
  options: {},
  async run(tools, { arguments: [deviceId = '', newId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        takeOverPhone(tx, { ...tools, nowMs: tools.clock.now() }, { deviceId, newId, actor: cliActor }),
      ),
    )
    return {
      json: { id: deviceId, taken_over: newId },
      text: `${deviceId} now uses the phone of ${newId}, which is removed.`,
    }
  },
})
