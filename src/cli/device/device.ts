import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { connectorKinds, factsOf } from '../../connectors/registry.ts'
import type { ConnectorKind } from '../../connectors/connector.ts'
import { addDevice, type DeviceDeps, type Pace, setDevice } from '../../devices/core/device-store.ts'
import { type ListedDevice, listDevices } from '../../devices/status/list-devices.ts'
import { withNewHook } from '../../connectors/providers.ts'
import { createDeviceSecretBox } from '../../runtime/secret-box.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { connect } from './device-connect.ts'
import { deviceArgument as device, findDevice, loadKind } from './device-lookup.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { receipts } from './device-receipts.ts'
import { isTaken } from './device-taken.ts'
import { unread } from './device-unread.ts'
import { discover } from './device-discover.ts'
import { eachOption, forEachPort } from './each-port.ts'
import { find } from './device-find.ts'
import { identifyEach } from './identify-device.ts'
import { remove } from './device-remove.ts'
import { plan } from './device-plan.ts'
import { same } from './device-same.ts'
import { noteUnsteadyPort } from './steady-note.ts'
import { readStrandedBy } from './stranded-lines.ts'
import { test } from './device-test.ts'
import { describeDevice, deviceDocument } from './print-device.ts'
import { linkOptions, linkSettings } from './link-options.ts'
import { changedProvider, providerOptions, providerSettings } from './provider-options.ts'
import { readPairs } from '../core/read-pairs.ts'
import { settingsHelp } from './settings-help.ts'
import { readNamedSecrets } from '../core/read-secrets.ts'
import { destinationsOf } from '../core/read-destinations.ts'
import { simOption, simOptions } from './read-sim-number.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'
import { modeOption } from '../core/common-options.ts'

const facts = {
  set: { type: 'text', value: 'KEY=VALUE', summary: 'A setting of its kind.', repeatable: true },
  sender: {
    type: 'text',
    value: 'SENDER',
    summary: 'Number, name or short code that it can send from; * for any. Phones have numbers only.',
    repeatable: true,
  },
  'parts-per-window': { type: 'number', value: 'N', summary: 'Rate limit: maximum parts per window.' },
  'window-seconds': {
    type: 'number',
    value: 'N',
    summary: 'Length of the window of the rate limit, in seconds.',
  },
  ...linkOptions,
  ...providerOptions,
  'secret-stdin': {
    type: 'text',
    value: 'NAME',
    summary: 'Read the secret with this name from standard input.',
  },
  'secret-file': {
    type: 'text',
    value: 'NAME=PATH',
    summary: 'Read a secret from a file.',
    repeatable: true,
  },
} as const

const add = command({
  summary: 'Adds a device and enables it.',
  details: `Kinds: ${connectorKinds.join(', ')}. Waits up to 5 s until a running server has started the device, and prints a note if none has. In JSON, taken is null when no server is running.`,
  moreHelp: settingsHelp,
  arguments: [{ name: 'kind', summary: `Kind of the device: ${connectorKinds.join(', ')}.` }],
  options: {
    account: { type: 'text', value: 'ACCOUNT', summary: 'Account that owns the device.' },
    shared: { type: 'flag', summary: 'Owned by the operator; all accounts can use the device.' },
    name: { type: 'text', value: 'NAME', summary: 'Display name.', required: true },
    mode: modeOption('Messages that the device sends. Default: live.'),
    each: eachOption,
    ...facts,
  },
  async run(tools, { options, arguments: [kind = ''] }) {
    if (options.shared === (options.account !== undefined))
      throw new UsageError('Give either --account ACCOUNT or --shared.')
    if (factsOf(kind)?.isPhone === true)
      throw new UsageError(`A phone is added when its app registers: ${ownCommand()} device connect ${kind}.`)
    const { account: accountId = null, name, mode = 'live', sender: senders } = options
    const loaded = await loadKind(kind)
    const deps = await deviceDeps(tools, loaded)
    const secrets = await secretsOf(tools, options)
    const settings = {
      ...linkSettings(options),
      ...(await providerSettings(options)),
      ...readPairs(options.set),
    }
    const each = forEachPort(factsOf(kind) ?? { kind }, options.each, { name, settings, senders })
    const wanted = await identifyEach(tools, loaded, each, secrets)
    const given = {
      accountId,
      mode,
      kind,
      senders,
      secrets,
      pace: readPace(options) ?? null,
      actor: cliActor,
    }
    return tools.withStorage(async ({ read, writer }) => {
      const ids = await writer.write(async (tx) => {
        const added: string[] = []
        for (const one of wanted) added.push(await addDevice(tx, deps, { ...given, ...one }))
        return added
      })
      const taken = await isTaken(tools.clock, read, ids.at(-1) as string)
      const devices: ListedDevice[] = []
      for (const id of ids) devices.push(await findDevice(read, id))
      const text = devices.flatMap((added) => [added.id, describeDevice(added)])
      const documents = devices.map(deviceDocument)
      return {
        json: options.each === undefined ? { ...documents[0], taken } : { devices: documents, taken },
        text: [
          ...text,
          ...(await noteUnsteadyPort(loaded, settings)),
          ...(taken === false ? [notTaken] : []),
        ].join('\n'),
      }
    })
  },
})

const notTaken = `No running server has started the device yet, so it cannot send. Check \`${ownCommand()} device list\` and the server log.`

const list = command({
  summary: 'Lists devices with their last reports.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', summary: 'Only devices of this account. Default: all.' },
    shared: { type: 'flag', summary: 'Only devices of the operator.' },
    limit: { type: 'number', value: 'N', summary: 'Maximum number of devices, up to 1000. Default: 100.' },
    after: {
      type: 'text',
      value: 'DEVICE',
      summary: 'Continue after this device: next_after of the previous page.',
    },
  },
  async run(tools, { options }) {
    const { account, shared, limit = 100, after = null } = options
    if (shared && account !== undefined) throw new UsageError('Give either --account or --shared, not both.')
    if (limit < 1 || limit > 1_000) throw new UsageError('--limit must be from 1 to 1000.')
    const scope = account !== undefined ? { accountId: account } : shared ? 'shared' : 'all'
    const page = await tools.withStorage(async ({ read }) => {
      if (account !== undefined) await requireAccount(read, account)
      return listDevices(read, scope, { afterId: after, limit })
    })
    const lines = page.devices.flatMap((found) => [
      `${found.id}  ${describeDevice(found)}`,
      ...remediesOf(found.kind, found.report?.reasons ?? []).map((remedy) => `      ${remedy}`),
    ])
    if (page.nextAfterId !== null) lines.push(`More devices: --after ${page.nextAfterId}`)
    return {
      json: { devices: page.devices.map(deviceDocument), next_after: page.nextAfterId },
      text: lines.length === 0 ? 'No devices.' : lines.join('\n'),
    }
  },
})

const set = command({
  summary: 'Changes a device. A running server applies the change within 1 s.',
  moreHelp: settingsHelp,
  arguments: [device],
  options: {
    ...facts,
    ...simOptions,
    unset: { type: 'text', value: 'KEY', summary: 'Reset a setting to its default.', repeatable: true },
    'no-senders': { type: 'flag', summary: 'Remove all senders.' },
    'no-pace': { type: 'flag', summary: 'Remove the rate limit.' },
    name: { type: 'text', value: 'NAME', summary: 'New display name.' },
    group: { type: 'text', value: 'GROUP', summary: 'Add the device to this group: grp_…' },
    'no-group': { type: 'flag', summary: 'Remove the device from its group.' },
    'new-hook': {
      type: 'flag',
      summary: 'New addresses for the provider of a messaging service to call; the former ones stop working.',
    },
    'only-to': {
      type: 'text',
      value: 'PREFIXES',
      summary: 'Send only to numbers that begin with these digits, such as 33,1; all for any.',
    },
    'not-to': {
      type: 'text',
      value: 'PREFIXES',
      summary: 'Send to no number that begins with these digits; none for any.',
    },
    enable: { type: 'flag', summary: 'Enable the device.' },
    drain: {
      type: 'flag',
      summary: 'Stop sending new messages; finish those in flight. Undo with --enable.',
    },
    disable: {
      type: 'flag',
      summary:
        'Stop sending; messages that are not sent yet are requeued. Those that only it could carry wait: they are counted.',
    },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    const { name, enable, disable, drain, sender } = options
    const pace = options['no-pace'] ? null : readPace(options)
    if (Number(enable) + Number(disable) + Number(drain) > 1)
      throw new UsageError('Give only one of --enable, --disable and --drain.')
    if (options['no-senders'] && sender.length > 0)
      throw new UsageError('Give either --sender or --no-senders, not both.')
    if (options['no-group'] && options.group !== undefined)
      throw new UsageError('Give either --group or --no-group, not both.')
    const change = {
      deviceId,
      ...(name === undefined ? {} : { name }),
      ...(enable ? { state: 'enabled' as const } : disable ? { state: 'disabled' as const } : {}),
      ...(drain ? { isDraining: true } : {}),
      ...(sender.length > 0 || options['no-senders'] ? { senders: sender } : {}),
      ...(pace === undefined ? {} : { pace }),
      ...(options['no-group']
        ? { groupId: null }
        : options.group === undefined
          ? {}
          : { groupId: options.group }),
      ...destinationsOf(options),
      settings: {
        ...linkSettings(options),
        ...(await changedProvider(options)),
        ...readPairs(options.set),
        ...Object.fromEntries(options.unset.map((key) => [key, null])),
      },
      secrets: await secretsOf(tools, options),
      actor: cliActor,
    }
    if (
      Object.keys(change).length === 4 &&
      !options['new-hook'] &&
      [options.sim, options.number].every((named) => named === undefined) &&
      [change.settings, change.secrets].every((pairs) => Object.keys(pairs).length === 0)
    ) {
      throw new UsageError('Nothing to change: give at least one option.')
    }
    return tools.withStorage(async ({ read, writer }) => {
      const before = await findDevice(read, deviceId)
      const deps = await deviceDeps(tools, await loadKind(before.kind))
      const hook = options['new-hook'] ? newHookOf(before) : {}
      const whole = { ...change, ...simOption(options), settings: { ...change.settings, ...hook } }
      await writer.write((tx) => setDevice(tx, deps, whole))
      const after = await findDevice(read, deviceId)
      const stranded = await readStrandedBy(read, after)
      return {
        json: { ...deviceDocument(after), messages_stranded: stranded.messages },
        text: [`${deviceId}  ${describeDevice(after)}`, ...stranded.lines].join('\n'),
      }
    })
  },
})

export const deviceCommands: CommandGroup = {
  summary: 'Devices: phones, modems, SMPP connections and simulators.',
  commands: { add, list, set, connect, find, discover, test, plan, receipts, unread, same, remove },
}

async function deviceDeps(tools: CommandContext, kind: ConnectorKind): Promise<DeviceDeps> {
  const secretBox = createDeviceSecretBox(await tools.instanceSecret())
  return { ids: tools.ids, nowMs: tools.clock.now(), secretBox, rules: kind }
}

const secretsOf = (
  tools: CommandContext,
  options: {
    'secret-stdin'?: string | undefined
    'password-stdin': boolean
    'secret-file': readonly string[]
  },
) => {
  if (options['password-stdin'] && options['secret-stdin'] !== undefined)
    throw new UsageError('Give either --password-stdin or --secret-stdin, not both.')
  const fromStdin = options['password-stdin'] ? 'password' : options['secret-stdin']
  return readNamedSecrets(tools.io, { fromStdin, fromFiles: options['secret-file'] })
}

function newHookOf({ id, settings }: Pick<ListedDevice, 'id' | 'settings'>): Record<string, string> {
  const settingsOfHook = withNewHook(settings)
  if (settingsOfHook === null)
    throw new CommandError('not_a_provider', `Device ${id} is no messaging service: nothing calls for it.`)
  return settingsOfHook
}

/** Returns undefined without an option of the rate limit. */
function readPace(options: {
  'parts-per-window'?: number | undefined
  'window-seconds'?: number | undefined
}): Pace | undefined {
  const partsPerWindow = options['parts-per-window']
  const windowSeconds = options['window-seconds']
  if (partsPerWindow === undefined && windowSeconds === undefined) return undefined
  if (partsPerWindow === undefined || windowSeconds === undefined)
    throw new UsageError('A rate limit needs both --parts-per-window and --window-seconds.')
  return { partsPerWindow, windowSeconds }
}
