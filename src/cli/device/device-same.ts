import { takeOverPhone } from '../../devices/phones/same-phone.ts'
import { command } from '../core/command.ts'
import { loadConnectorKind } from '../../connectors/registry.ts'
import { createDeviceSecretBox } from '../../runtime/secret-box.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'
import { CommandError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'

export const same = command({
  summary: 'Merges a phone that registered as a new device with its former device.',
  details:
    'For an app that was reinstalled: since Android 10 it cannot be recognised by its SIMs. The former device keeps its name, settings, senders and rate limit, and is connected as the new one: visited at its address, or not. The new device is removed. Possible only before a message is submitted to the new device.',
  arguments: [deviceArgument, { name: 'new-device', summary: 'ID of the new device: dev_…' }],
  options: {},
  async run(tools, { arguments: [deviceId = '', newId = ''] }) {
    await tools.withStorage(async ({ read, writer }) => {
      const { kind } = await findDevice(read, deviceId)
      const rules = await loadConnectorKind(kind)
      if (rules === null)
        throw new CommandError('unknown_kind', `This version does not know the kind ${kind}.`)
      const secretBox = createDeviceSecretBox(await tools.instanceSecret())
      const deps = { ids: tools.ids, nowMs: tools.clock.now(), secretBox, rules }
      await writer.write((tx) => takeOverPhone(tx, deps, { deviceId, newId, actor: cliActor }))
    })
    return {
      json: { id: deviceId, taken_over: newId },
      text: `${deviceId} now uses the phone of ${newId}, which is removed.`,
    }
  },
})
