import type { ConnectorKind } from '../../connectors/connector.ts'
import type { Trial } from '../../connectors/connector-tools.ts'
import { factsOf, loadConnectorKind } from '../../connectors/registry.ts'
import { tryDevice } from '../../connectors/try-device.ts'
import type { ListedDevice } from '../../devices/status/list-devices.ts'
import { listPhones } from '../../devices/phones/list-phones.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
import { readLastReached } from '../../devices/phones/reach-checks.ts'
import { isVisited } from '../../devices/phones/visited-phones.ts'
import { createDeviceSecretBox } from '../../runtime/secret-box.ts'
import { declarationOf, showRequest } from '../../connectors/providers.ts'
import { command, type Output } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { createOutgoing } from '../../outgoing/create-outgoing.ts'
import { deviceSettings } from '../../settings/device-settings.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'
import { type DeviceCheck, describeDevice, deviceDocument, examineDevice } from './print-device.ts'
import { exampleOf, linesOfRequest } from '../../connectors/shown-request.ts'
import { examinePhone } from './phone-checks.ts'
import { checkPhoneAddress } from '../core/phone-address-check.ts'
import type { CommandContext } from '../core/command-context.ts'
import { ownAddress } from '../../process/own-address.ts'
import { fillOwnCommand, ownCommand } from '../../process/own-command.ts'

export const test = command({
  summary: 'Checks the settings of a device, its last reported health and its connection. Sends nothing.',
  details: `An SMPP connection that a server has bound is not bound a second time, because many carriers limit sessions; others are bound and unbound once. To send a test message, use \`${ownCommand()} send\` with an API key of an account that can use the device.`,
  arguments: [deviceArgument],
  options: {
    show: {
      type: 'flag',
      summary:
        'Only show the request that would submit a message over a messaging service, with the names of its secrets.',
    },
    to: { type: 'text', value: 'NUMBER', summary: 'With --show: recipient, in E.164.' },
    text: { type: 'text', value: 'TEXT', summary: 'With --show: text.' },
    from: { type: 'text', value: 'SENDER', summary: 'With --show: sender. Default: none.' },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    if (options.show) return showDeviceRequest(tools, deviceId, options)
    const { found, phones, reached } = await tools.withStorage(async ({ read }) => ({
      found: await findDevice(read, deviceId),
      phones: await listPhones(read, { deviceId }),
      reached: await readLastReached(read, phoneAddress(tools.config)),
    }))
    const kind = await loadConnectorKind(found.kind)
    const checks: DeviceCheck[] = examineDevice(found, kind)
    const { isPhone, guide } = factsOf(found.kind) ?? {}
    let addressRemedy: string | null = null
    if (isPhone === true) {
      checks.push(...examinePhone(found, phones[0] ?? null, tools.clock.now()))
      if (!isVisited(found.settings)) {
        const contact = found.report?.body.contact
        const contacts = contact === undefined ? [] : [contact]
        const { remedy, ...check } = await checkPhoneAddress(tools, { contacts, reached })
        checks.push(check)
        addressRemedy = remedy
      }
    }
    const trial = await tryOut(tools, found, kind)
    if (trial !== null) checks.push({ name: 'peer', ok: trial.ok, summary: trial.summary })
    const remedies = [
      ...remediesOf(found.kind, found.report?.reasons ?? [], { byTest: true }),
      ...(addressRemedy === null ? [] : [`phone_address: ${addressRemedy}`]),
      ...(trial?.remedy ? [`peer: ${fillOwnCommand(trial.remedy, ownCommand())}`] : []),
    ]
    const ok = checks.every((check) => check.ok)
    return {
      json: { ok, checks, remedies, device: deviceDocument(found) },
      text: [
        `${deviceId}  ${describeDevice(found)}`,
        ...checks.map((check) => `${check.ok ? 'ok  ' : 'FAIL'}  ${check.summary}`),
        ...remedies.map((remedy) => `      ${remedy}`),
        ...(ok || guide === undefined ? [] : [`Guide: ${ownAddress(tools.config)}${guide}`]),
      ].join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

/** Shows the request that would submit a message over a device. Sends nothing, and reads no secret. */
async function showDeviceRequest(
  tools: CommandContext,
  deviceId: string,
  {
    to,
    text,
    from = null,
  }: { to?: string | undefined; text?: string | undefined; from?: string | undefined | null },
): Promise<Output> {
  if (to === undefined || text === undefined) throw new UsageError('--show needs --to and --text.')
  const { settings } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
  const declaration = declarationOf(settings)
  if (declaration === null)
    throw new CommandError(
      'not_a_provider',
      `Device ${deviceId} is no messaging service: it sends no request.`,
    )
  const request = showRequest(declaration, {
    settings,
    submission: exampleOf({ to, from, text }),
    nowMs: tools.clock.now(),
  })
  if (typeof request === 'string') throw new CommandError('no_request', request)
  return { json: { request }, text: linesOfRequest(request).join('\n') }
}

async function tryOut(
  tools: CommandContext,
  device: ListedDevice,
  kind: ConnectorKind | null,
): Promise<Trial | null> {
  const { clock } = tools
  const secretBox = createDeviceSecretBox(await tools.instanceSecret())
  const outgoing = createOutgoing(tools.config.providerAllow, deviceSettings.providerAllow.env)
  return tools.withStorage(({ read }) => tryDevice({ read, clock, secretBox, outgoing }, device, kind))
}
