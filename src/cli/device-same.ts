import { takeOverPhone } from '../devices/same-phone.ts'
import { command } from './command.ts'
import { deviceArgument } from './device-lookup.ts'
import { cliActor } from './toolbox.ts'

export const same = command({
  summary: 'Says that a phone that registered as a new device is one that was there before.',
  details:
    'For an app that was installed anew: from Android 10 on it cannot be recognised by its SIMs. The former device goes on with the phone and keeps its name, settings, senders and pace; the new device is removed. Only while the new one was given no message.',
  arguments: [
    deviceArgument,
    { name: 'new-device', says: 'Id of the device as which the phone registered now: dev_…' },
  ],
  options: {},
  async run(tools, { arguments: [deviceId = '', newId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        takeOverPhone(tx, { ...tools, nowMs: tools.clock.now() }, { deviceId, newId, actor: cliActor }),
      ),
    )
    return {
      json: { id: deviceId, taken_over: newId },
      text: `${deviceId} goes on with the phone of ${newId}, which is removed.`,
    }
  },
})
