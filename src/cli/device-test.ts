import { loadConnectorKind } from '../connectors/registry.ts'
import { listPhones } from '../devices/list-phones.ts'
import { command } from './command.ts'
import { remediesOf } from './device-reasons.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'
import { type DeviceCheck, describeDevice, deviceDocument, examineDevice } from './device-view.ts'
import { examinePhone } from './phone-checks.ts'

export const test = command({
  summary: 'Checks the settings of a device and its health as it last reported it; sends nothing.',
  details: 'To send a test message, use `onesixty send` with a key of an account that may use the device.',
  arguments: [deviceArgument],
  options: {},
  async run(tools, { arguments: [deviceId = ''] }) {
    const { found, phones } = await tools.withStorage(async ({ read }) => ({
      found: await findDevice(read, deviceId),
      phones: await listPhones(read, { deviceId }),
    }))
    const checks: DeviceCheck[] = examineDevice(found, await loadConnectorKind(found.kind))
    if (found.kind === 'android') checks.push(...examinePhone(found, phones[0] ?? null, tools.clock.now()))
    const remedies = remediesOf(found.report?.reasons ?? [])
    const ok = checks.every((check) => check.ok)
    return {
      json: { ok, checks, remedies, device: deviceDocument(found) },
      text: [
        `${deviceId}  ${describeDevice(found)}`,
        ...checks.map((check) => `${check.ok ? 'ok  ' : 'FAIL'}  ${check.says}`),
        ...remedies.map((remedy) => `      ${remedy}`),
      ].join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})
