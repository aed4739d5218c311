import { requireAccount } from '../accounts/list-accounts.ts'
import { connectorKinds } from '../connectors/registry.ts'
import type { ConnectorKind } from '../connectors/connector.ts'
import { addDevice, type DeviceDeps, type Pace, setDevice } from '../devices/device-store.ts'
import { listDevices } from '../devices/list-devices.ts'
import { createDeviceSecretBox } from '../devices/secret-box.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { connect } from './device-connect.ts'
import { deviceArgument as device, findDevice, loadKind } from './device-lookup.ts'
import { remediesOf } from '../devices/device-remedies.ts'
import { receipts } from './device-receipts.ts'
import { isTaken } from './device-taken.ts'
import { unread } from './device-unread.ts'
import { remove } from './device-remove.ts'
import { same } from './device-same.ts'
import { test } from './device-test.ts'
import { describeDevice, deviceDocument } from './device-view.ts'
import { table } from './help.ts'
import { linkOptions, linkSettings } from './link-options.ts'
import { readNamedSecrets } from './read-secrets.ts'
import { simOption, simOptions } from './sim-number.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

const facts = {
  set: { type: 'text', value: 'KEY=VALUE', says: 'One setting of its kind.', repeatable: true },
  sender: {
    type: 'text',
    value: 'SENDER',
    says: 'A number, name or short code that it may send from; * for any. Phones have numbers alone.',
    repeatable: true,
  },
  'parts-per-window': { type: 'number', value: 'N', says: 'Its pace: so many parts in a window.' },
  'window-seconds': { type: 'number', value: 'N', says: 'Length of that window.' },
  ...linkOptions,
  'secret-stdin': { type: 'text', value: 'NAME', says: 'Read the secret of that name from standard input.' },
  'secret-file': { type: 'text', value: 'NAME=PATH', says: 'Read a secret from a file.', repeatable: true },
} as const

/** What `--set` takes, kind by kind. */
async function settingsHelp(): Promise<string> {
  const kinds = await Promise.all(connectorKinds.map(loadKind))
  return kinds
    .map(({ kind, settings }) =>
      table(
        `Settings of the kind ${kind}, with their defaults:`,
        settings.map((rule) => [`${rule.name}=${rule.default}`, rule.says]),
      ),
    )
    .join('\n\n')
}

const add = command({
  summary: 'Adds a sending device, enabled at once.',
  details: `Kinds: ${connectorKinds.join(', ')}. Waits up to five seconds until a running server has taken it, so that a send finds it, and says where none has; in JSON taken is null where no server runs.`,
  moreHelp: settingsHelp,
  arguments: [{ name: 'kind', says: `What it is: ${connectorKinds.join(', ')}.` }],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Whose it is.' },
    shared: { type: 'flag', says: "The operator's: every account may use it." },
    name: { type: 'text', value: 'NAME', says: 'What people call it.', required: true },
    mode: {
      type: 'text',
      value: 'MODE',
      says: 'Which messages it carries; live when left out.',
      choices: ['live', 'test'],
    },
    ...facts,
  },
  async run(tools, { options, arguments: [kind = ''] }) {
    if (options.shared === (options.account !== undefined))
      throw new UsageError('Say whose it is: either --account ACCOUNT or --shared.')
    if (kind === 'android')
      throw new UsageError('A phone adds itself when its app registers: onesixty device connect android.')
    const { account: accountId = null, name, mode = 'live', sender: senders } = options
    const deps = await deviceDeps(tools, await loadKind(kind))
    const secrets = await secretsOf(tools, options)
    const given = {
      accountId,
      mode,
      kind,
      name,
      senders,
      settings: { ...linkSettings(options), ...readPairs(options.set) },
      secrets,
      pace: readPace(options) ?? null,
    }
    return tools.withStorage(async ({ read, writer }) => {
      const id = await writer.write((tx) => addDevice(tx, deps, { ...given, actor: cliActor }))
      const taken = await isTaken(tools.clock, read, id)
      const added = await findDevice(read, id)
      const text = [id, describeDevice(added), ...(taken === false ? [notTaken] : [])]
      return { json: { ...deviceDocument(added), taken }, text: text.join('\n') }
    })
  },
})

const notTaken =
  'No running server has taken it yet: until one has, messages find no device. Look with `onesixty device list`, and at the log of the server.'

const list = command({
  summary: 'Lists devices with what they last reported.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: "Only this account's own; all when left out." },
    shared: { type: 'flag', says: "Only the operator's." },
    limit: { type: 'number', value: 'N', says: 'At most so many, up to 1000; 100 when left out.' },
    after: { type: 'text', value: 'DEVICE', says: 'Go on after this one: next_after of the page before.' },
  },
  async run(tools, { options }) {
    const { account, shared, limit = 100, after = null } = options
    if (shared && account !== undefined) throw new UsageError('Take either --account or --shared.')
    if (limit < 1 || limit > 1_000) throw new UsageError('--limit needs a number from 1 to 1000.')
    const scope = account !== undefined ? { accountId: account } : shared ? 'shared' : 'all'
    const page = await tools.withStorage(async ({ read }) => {
      if (account !== undefined) await requireAccount(read, account)
      return listDevices(read, scope, { afterId: after, limit })
    })
    const lines = page.devices.flatMap((found) => [
      `${found.id}  ${describeDevice(found)}`,
      ...remediesOf(found.report?.reasons ?? []).map((remedy) => `      ${remedy}`),
    ])
    if (page.nextAfterId !== null) lines.push(`There are more: --after ${page.nextAfterId}`)
    return {
      json: { devices: page.devices.map(deviceDocument), next_after: page.nextAfterId },
      text: lines.length === 0 ? 'There are no devices.' : lines.join('\n'),
    }
  },
})

const set = command({
  summary: 'Changes what is named of a device; a running server follows within a second.',
  moreHelp: settingsHelp,
  arguments: [device],
  options: {
    ...facts,
    ...simOptions,
    unset: { type: 'text', value: 'KEY', says: 'Put a setting back to its default.', repeatable: true },
    'no-senders': { type: 'flag', says: 'Take all senders away.' },
    'no-pace': { type: 'flag', says: 'Lift the pace.' },
    name: { type: 'text', value: 'NAME', says: 'Call it so.' },
    group: { type: 'text', value: 'GROUP', says: 'Put it into this group: grp_…' },
    'no-group': { type: 'flag', says: 'Take it out of its group.' },
    enable: { type: 'flag', says: 'Let it send.' },
    drain: { type: 'flag', says: 'Give it nothing new; what it holds it ends. --enable ends that.' },
    disable: { type: 'flag', says: 'Let it send nothing; what it has not sent goes back to the queue.' },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    const { name, enable, disable, drain, sender } = options
    const pace = options['no-pace'] ? null : readPace(options)
    if (Number(enable) + Number(disable) + Number(drain) > 1)
      throw new UsageError('Take one of --enable, --disable and --drain.')
    if (options['no-senders'] && sender.length > 0)
      throw new UsageError('Take either --sender or --no-senders.')
    if (options['no-group'] && options.group !== undefined)
      throw new UsageError('Take either --group or --no-group.')
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
      settings: {
        ...linkSettings(options),
        ...readPairs(options.set),
        ...Object.fromEntries(options.unset.map((key) => [key, null])),
      },
      secrets: await secretsOf(tools, options),
      actor: cliActor,
    }
    if (
      Object.keys(change).length === 4 &&
      [options.sim, options.number].every((named) => named === undefined) &&
      [change.settings, change.secrets].every((pairs) => Object.keys(pairs).length === 0)
    ) {
      throw new UsageError('Name something to change.')
    }
    return tools.withStorage(async ({ read, writer }) => {
      const before = await findDevice(read, deviceId)
      const deps = await deviceDeps(tools, await loadKind(before.kind))
      const whole = { ...change, ...simOption(options) }
      await writer.write((tx) => setDevice(tx, deps, whole))
      const after = await findDevice(read, deviceId)
      return { json: deviceDocument(after), text: `${deviceId}  ${describeDevice(after)}` }
    })
  },
})

export const deviceCommands: CommandGroup = {
  summary: 'Sending devices: what carries messages.',
  commands: { add, list, set, connect, test, receipts, unread, same, remove },
}

async function deviceDeps(tools: Toolbox, kind: ConnectorKind): Promise<DeviceDeps> {
  const secretBox = createDeviceSecretBox(await tools.instanceSecret())
  return { ids: tools.ids, nowMs: tools.clock.now(), secretBox, rules: kind }
}

const secretsOf = (
  tools: Toolbox,
  options: {
    'secret-stdin'?: string | undefined
    'password-stdin': boolean
    'secret-file': readonly string[]
  },
) => {
  if (options['password-stdin'] && options['secret-stdin'] !== undefined)
    throw new UsageError('Take either --password-stdin or --secret-stdin.')
  const fromStdin = options['password-stdin'] ? 'password' : options['secret-stdin']
  return readNamedSecrets(tools.io, { fromStdin, fromFiles: options['secret-file'] })
}

function readPairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const split = pair.indexOf('=')
      if (split < 1) throw new UsageError(`--set needs KEY=VALUE; it was '${pair}'.`)
      return [pair.slice(0, split), pair.slice(split + 1)]
    }),
  )
}

/** Undefined when nothing was said of it. */
function readPace(options: {
  'parts-per-window'?: number | undefined
  'window-seconds'?: number | undefined
}): Pace | undefined {
  const partsPerWindow = options['parts-per-window']
  const windowSeconds = options['window-seconds']
  if (partsPerWindow === undefined && windowSeconds === undefined) return undefined
  if (partsPerWindow === undefined || windowSeconds === undefined)
    throw new UsageError('A pace needs both --parts-per-window and --window-seconds.')
  return { partsPerWindow, windowSeconds }
}
