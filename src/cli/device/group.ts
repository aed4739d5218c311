import { rfc3339 } from '../../runtime/clock.ts'
import { addGroup, listGroups, removeGroup } from '../../devices/core/device-groups.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

const depsOf = (tools: CommandContext) => ({ ids: tools.ids, nowMs: tools.clock.now() })

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
    const lines = groups.map(({ id, name, sharedReceipts, deviceIds }) =>
      [id, ...(sharedReceipts ? ['shared receipts'] : []), name, ...deviceIds].join('  '),
    )
    return {
      json: {
        groups: groups.map((group) => ({
          id: group.id,
          name: group.name,
          shared_receipts: group.sharedReceipts,
          devices: group.deviceIds,
          created_at: rfc3339(group.createdAt),
        })),
      },
      text: lines.length === 0 ? 'No groups.' : lines.join('\n'),
    }
  },
})

const remove = command({
  summary: 'Removes a group and keeps its devices.',
  arguments: [{ name: 'group', summary: 'Group ID: grp_…' }],
  options: {},
  async run(tools, { arguments: [groupId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) => removeGroup(tx, depsOf(tools), { groupId, actor: cliActor })),
    )
    return { json: { id: groupId, removed: true }, text: `${groupId} is removed.` }
  },
})

export const groupCommands: CommandGroup = {
  summary: 'Groups of devices, such as the hosts of one carrier.',
  commands: { add, list, remove },
}
