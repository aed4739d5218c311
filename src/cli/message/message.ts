import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { cancelMessages, type Cancellation } from '../../messages/queue/cancel-messages.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { longestAheadMs, type SendTimeChange, moveMessages } from '../../messages/queue/move-messages.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import { command, type CommandGroup, type OptionSpecs } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { readTime } from '../core/read-time.ts'
import { eraseNumberCommand } from './message-erase.ts'
import { show } from './message-show.ts'
import { cliActor } from '../core/command-context.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

/** The same limit as for a request. */
const maxMessages = 100

const cancelResults: Record<Cancellation['result'], string> = {
  canceled: 'canceled: nothing was sent, and its held SMS are released',
  asked: 'on a phone: recall requested; see its status in history',
  too_late: 'already submitted or final: not changed',
  not_found: 'unknown in this account and mode',
}

const cancelText = ({ result, paidBy }: Cancellation): string =>
  result === 'canceled' && paidBy === 'own_device'
    ? 'canceled: nothing was sent, and it cost nothing: the balance is unchanged'
    : cancelResults[result]

const whichMessages = {
  account: accountOption,
  message: {
    type: 'text',
    value: 'MESSAGE',
    summary: `Message ID: msg_…; up to ${maxMessages}.`,
    repeatable: true,
  },
  mode: modeOption('Mode of the messages. Default: live.'),
} as const satisfies OptionSpecs

const cancel = command({
  summary: 'Cancels messages that are not submitted yet.',
  details:
    'Queued and scheduled messages are canceled immediately. Messages on a phone are recalled. Exit code 1 when any message could not be canceled.',
  arguments: [],
  options: whichMessages,
  async run(tools, { options }) {
    const { account: accountId, mode = 'live' } = options
    const ids = readIds(options.message)
    const results = await tools.withStorage(async ({ read, writer }) => {
      await requireAccount(read, accountId)
      return writer.write(async (tx) => {
        const unit = await takeChange(tx, tools.clock.now())
        const keys = ids.map((messageId) => ({ accountId, mode, messageId }))
        const canceled = await cancelMessages(tx, unit, keys, 'canceled_by_operator')
        const detail = { mode, messages: canceled.map(({ messageId, result }) => ({ messageId, result })) }
        await appendAudit(
          tx,
          { ...tools, nowMs: unit.nowMs },
          { accountId, actor: cliActor, action: 'messages.canceled', detail },
        )
        return canceled
      })
    })
    const ok = results.every(({ result }) => result === 'canceled' || result === 'asked')
    return {
      json: {
        ok,
        messages: results.map(({ messageId, result, status }) => ({ id: messageId, result, status })),
      },
      text: results.map((each) => `${each.messageId}  ${cancelText(each)}`).join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

const moveResults: Record<SendTimeChange['result'], string> = {
  moved: 'rescheduled',
  too_late: 'no longer scheduled: not changed',
  not_found: cancelResults.not_found,
}

const move = command({
  summary: 'Reschedules messages.',
  details:
    'The validity period moves with the time. A time in the past means immediately. Exit code 1 when any message was no longer scheduled.',
  arguments: [],
  options: {
    ...whichMessages,
    at: {
      type: 'text',
      value: 'TIME',
      summary: 'New time, for example 2026-12-01T08:00:00+01:00; up to 30 days ahead.',
      required: true,
    },
  },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', at } = options
    const ids = readIds(options.message)
    const sendAtMs = readTime('--at', at)
    if (sendAtMs > tools.clock.now() + longestAheadMs)
      throw new UsageError('--at must be at most 30 days ahead.')
    const results = await tools.withStorage(async ({ read, writer }) => {
      await requireAccount(read, accountId)
      return writer.write(async (tx) => {
        const unit = await takeChange(tx, tools.clock.now())
        const keys = ids.map((messageId) => ({ accountId, mode, messageId }))
        const moved = await moveMessages(tx, unit, keys, sendAtMs)
        const messages = moved.map(({ messageId, result }) => ({ messageId, result }))
        const detail = { mode, send_at: rfc3339(sendAtMs), messages }
        await appendAudit(
          tx,
          { ...tools, nowMs: unit.nowMs },
          { accountId, actor: cliActor, action: 'messages.moved', detail },
        )
        return moved
      })
    })
    const ok = results.every(({ result }) => result === 'moved')
    return {
      json: {
        ok,
        messages: results.map((message) => ({
          id: message.messageId,
          result: message.result,
          status: message.status,
          send_at: rfc3339OrNull(message.sendAtMs),
        })),
      },
      text: results.map(({ messageId, result }) => `${messageId}  ${moveResults[result]}`).join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

function readIds(given: readonly string[]): string[] {
  if (given.length === 0 || given.length > maxMessages)
    throw new UsageError(`Give 1 to ${maxMessages} messages with --message.`)
  return [...new Set(given)]
}

export const messageCommands: CommandGroup = {
  summary: 'Messages: show, cancel, reschedule, or erase those of a number.',
  commands: { show, cancel, move, erase: eraseNumberCommand },
}
