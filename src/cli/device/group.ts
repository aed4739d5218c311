import { rfc3339 } from '../../runtime/clock.ts'
import {
  addGroup,
  type DeviceGroup,
  findGroup,
  listGroups,
  removeGroup,
  setGroup,
} from '../../devices/core/device-groups.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

const depsOf = (tools: CommandContext) => ({ ids: tools.ids, nowMs: tools.clock.now() })

const group = { name: 'group', summary: 'Group ID: grp_…' } as const

const groupDocument = ({ id, name, sharedReceipts, deviceIds, createdAt }: DeviceGroup) => ({
  id,
  name,
  shared_receipts: sharedReceipts,
  devices: deviceIds,
  created_at: rfc3339(createdAt),
})

const groupLine = ({ id, name, sharedReceipts, deviceIds }: DeviceGroup): string =>
  [id, ...(sharedReceipts ? ['shared receipts'] : []), name, ...deviceIds].join('  ')

const add = command({
  summary: `Adds a group of devices. Add devices to it with ${ownCommand()} device set dev_… --group grp_…`,
  arguments: [],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'Display name.', required: true },
    'shared-receipts': {
      type: 'flag',
      summary: 'The devices share one account at one carrier: a receipt can arrive over any of them.',
    },
  },
  async run(tools, { options }) {
    const { name, 'shared-receipts': sharedReceipts } = options
    const id = await tools.withStorage(({ writer }) =>
      writer.write((tx) => addGroup(tx, depsOf(tools), { name, sharedReceipts, actor: cliActor })),
    )
    return { json: { id, name, shared_receipts: sharedReceipts }, text: id }
  },
})

const list = command({
  summary: 'Lists groups with their devices.',
  arguments: [],
  options: {},
  async run(tools) {
    const groups = await tools.withStorage(({ read }) => listGroups(read))
    return {
      json: { groups: groups.map(groupDocument) },
      text: groups.length === 0 ? 'No groups.' : groups.map(groupLine).join('\n'),
    }
  },
})

const show = command({
  summary: 'Shows one group with its devices.',
  arguments: [group],
  options: {},
  async run(tools, { arguments: [groupId = ''] }) {
    const found = await tools.withStorage(({ read }) => findGroup(read, groupId))
    return { json: groupDocument(found), text: groupLine(found) }
  },
})

const set = command({
  summary: 'Changes a group. A running server applies the change within 1 s.',
  arguments: [group],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'New display name.' },
    'shared-receipts': { type: 'flag', summary: 'A receipt can arrive over any of its devices.' },
    'own-receipts': { type: 'flag', summary: 'Each receipt arrives over the device that sent the message.' },
  },
  async run(tools, { options, arguments: [groupId = ''] }) {
    const { name, 'shared-receipts': shares, 'own-receipts': keeps } = options
    if (shares && keeps) throw new UsageError('Give either --shared-receipts or --own-receipts, not both.')
    if (name === undefined && !shares && !keeps)
      throw new UsageError('Nothing to change: give at least one option.')
    const change = {
      groupId,
      ...(name === undefined ? {} : { name }),
      ...(shares || keeps ? { sharedReceipts: shares } : {}),
      actor: cliActor,
    }
    const changed = await tools.withStorage(async ({ read, writer }) => {
      await writer.write((tx) => setGroup(tx, depsOf(tools), change))
      return findGroup(read, groupId)
    })
    return { json: groupDocument(changed), text: groupLine(changed) }
  },
})

const remove = command({
  summary: 'Removes a group and keeps its devices.',
  arguments: [group],
  options: {},
  async run(tools, { arguments: [groupId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) => removeGroup(tx, depsOf(tools), { groupId, actor: cliActor })),
    )
    return { json: { id: groupId, removed: true }, text: `${groupId} is removed.` }
  },
})

export const groupCommands: CommandGroup = {
  summary: 'Groups of devices, such as the hosts of one carrier or a pool of modems.',
  commands: { add, list, show, set, remove },
}
