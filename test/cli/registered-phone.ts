import type { CommandContext } from '../../src/cli/core/command-context.ts'
import { androidKind } from '../../src/connectors/android/android.ts'
import type { DeviceReportBody } from '../../src/storage/tables/json-columns.ts'
import { type DeviceReport, saveDeviceReports } from '../../src/devices/status/device-report.ts'
import { registerPhone } from '../../src/devices/phones/registered-phones.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'

const body: DeviceReportBody = {
  link: 'poll',
  lastSeenAt: null,
  nextContactExpectedBy: null,
  appVersion: '1.68.0',
  battery: null,
  network: null,
  sims: [],
  capabilities: null,
  throughput: null,
  inFlight: 0,
  lastSentAt: null,
  lastError: null,
}

/** What the running server stores when an app registers; gives its device. */
export async function register(
  tools: CommandContext,
  token: string,
  usesPush = false,
  iccid = '0001',
): Promise<string> {
  const secretBox = createDeviceSecretBox(await loadInstanceSecret(tools.config))
  const deps = {
    ...tools,
    nowMs: tools.clock.now(),
    secretBox,
    kind: 'android',
    rules: androidKind,
    isPresent: () => false,
    maxPhones: 3_000,
  }
  const sims = [{ slot: 1, number: '*********0001', carrier: '**ekom', iccid: `****${iccid}` }]
  const made = await tools.withStorage(({ writer }) =>
    writer.write((tx) =>
      registerPhone(tx, deps, token, { name: 'samsung/a12', sims, usesPush, appVersion: '1.68.0' }),
    ),
  )
  return made?.deviceId ?? 'nobody'
}

/** What it stores of a device every few seconds. */
export const report = (
  tools: CommandContext,
  deviceId: string,
  said: Partial<DeviceReportBody>,
  state: Pick<DeviceReport, 'status' | 'reasons'> = { status: 'online', reasons: [] },
): Promise<void> =>
  tools.withStorage(({ writer }) =>
    writer.write((tx) =>
      saveDeviceReports(tx, [
        { deviceId, ...state, reportedAt: tools.clock.now(), body: { ...body, ...said } },
      ]),
    ),
  )
