import { addCanary, removeCanary } from '../../devices/canaries/canary-store.ts'
import { type CanaryView, readCanaries } from '../../devices/canaries/canary-view.ts'
import { simSetting, simSlots } from '../../devices/core/sim-number.ts'
import type { ListedDevice } from '../../devices/status/list-devices.ts'
import { renderCanary } from '../../api/v1/canary-view.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { findDevice } from './device-lookup.ts'

const canary = { name: 'canary', summary: 'Canary ID: can_…' } as const
const depsOf = (tools: CommandContext) => ({ ids: tools.ids, nowMs: tools.clock.now() })

const add = command({
  summary: 'Adds a canary: an SMS from one device to another one at an interval, to see that it arrives.',
  details:
    'It costs nothing and counts in SIM plans; no history, webhook or conversation has it. Two that are lost in a row are an alert. A running server sends the first one within 5 s.',
  arguments: [],
  options: {
    account: {
      type: 'text',
      value: 'ACCOUNT',
      summary: 'Account of the devices. Default: none, for two shared devices.',
    },
    from: { type: 'text', value: 'DEVICE', summary: 'Device that sends.', required: true },
    to: { type: 'text', value: 'DEVICE', summary: 'Device that receives.', required: true },
    every: {
      type: 'text',
      value: 'TIME',
      summary: 'Interval from 30m to 7d, such as 30m, 2h or 1d. Default: 1h.',
    },
    number: {
      type: 'text',
      value: 'NUMBER',
      summary: 'Number of the receiving device. Default: its known number, if it has one.',
    },
    sender: { type: 'text', value: 'SENDER', summary: 'Sender. Default: that of the device.' },
    sim: {
      type: 'number',
      value: 'SLOT',
      summary: 'Slot of the SIM that sends. Default: the phone chooses.',
    },
  },
  async run(tools, { options }) {
    const { account: accountId = null, from, to, sender = null, sim = null, every = '1h', number } = options
    const everyMs = readSpan(every)
    const added = await tools.withStorage(async ({ read, writer }) => {
      await findDevice(read, from)
      const recipient = number ?? numberOf(await findDevice(read, to))
      const given = {
        accountId,
        fromDevice: from,
        toDevice: to,
        recipient,
        sender,
        sim,
        everyMs,
        actor: cliActor,
      }
      const id = await writer.write((tx) => addCanary(tx, depsOf(tools), given))
      return readOne(await readCanaries(read, { id }), id)
    })
    return { json: documentOf(added), text: describe(added) }
  },
})

const list = command({
  summary: 'Lists canaries with their latest run and their losses.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', summary: 'Only canaries of this account. Default: all.' },
  },
  async run(tools, { options: { account } }) {
    const canaries = await tools.withStorage(({ read }) =>
      readCanaries(read, account === undefined ? 'all' : { accountId: account }),
    )
    return {
      json: { canaries: canaries.map(documentOf) },
      text: canaries.length === 0 ? 'No canaries.' : canaries.map(describe).join('\n'),
    }
  },
})

const show = command({
  summary: 'Shows a canary.',
  arguments: [canary],
  options: {},
  async run(tools, { arguments: [id = ''] }) {
    const found = readOne(await tools.withStorage(({ read }) => readCanaries(read, { id })), id)
    return { json: documentOf(found), text: describe(found) }
  },
})

const remove = command({
  summary: 'Removes a canary with its runs.',
  arguments: [canary],
  options: {},
  async run(tools, { arguments: [canaryId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) => removeCanary(tx, depsOf(tools), { canaryId, actor: cliActor })),
    )
    return { json: { id: canaryId, removed: true }, text: `${canaryId} is removed.` }
  },
})

export const canaryCommands: CommandGroup = {
  summary: 'Canaries: test messages between devices at an interval.',
  commands: { add, list, show, remove },
}

function readOne([found]: readonly CanaryView[], id: string): CanaryView {
  if (found === undefined) throw new CommandError('not_found', `Canary ${id} not found.`)
  return found
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function readSpan(text: string): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError('--every must be such as 30m, 2h or 1d.')
  return Number(count) * units[unit as keyof typeof units]
}

/** The number of a SIM as set or reported, else the only number that the device sends from. */
function numberOf({ id, settings, report, senders }: ListedDevice): string {
  const known = [
    ...simSlots.map((slot) => settings[simSetting(slot)]),
    ...(report?.body.sims.map(({ number }) => number) ?? []),
    ...senders.filter((sender) => sender.startsWith('+')),
  ]
  const numbers = [...new Set(known.flatMap((number) => number || []))]
  const [only] = numbers
  if (only === undefined || numbers.length > 1)
    throw new UsageError(
      `${id} has ${numbers.length === 0 ? 'no known number' : 'several numbers'}: give --number.`,
    )
  return only
}

const documentOf = (view: CanaryView) => ({
  ...renderCanary(view),
  account_id: view.accountId,
  from_device: view.fromDevice,
  recipient: view.recipient,
  sender: view.sender,
  sim: view.sim,
  next_run_at: rfc3339(view.nextAt),
  lost_in_row: view.lostInRow,
  last_reason: view.last?.reason ?? null,
})

/** Formats a canary in one line. */
function describe(view: CanaryView): string {
  const { id, fromDevice, toDevice, everyMs, last, lost, runs, medianSeconds } = view
  const latest =
    last === null
      ? 'no run yet'
      : [last.state, ...(last.seconds === null ? [] : [`after ${last.seconds} s`]), ...(last.reason === null ? [] : [last.reason])].join(' ') // prettier-ignore
  return [
    id,
    `${fromDevice} to ${toDevice}`,
    `every ${everyMs / 60_000} min`,
    latest,
    `${lost} of ${runs} lost`,
    ...(medianSeconds === null ? [] : [`median ${medianSeconds} s`]),
  ].join('  ')
}
