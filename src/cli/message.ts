import { rfc3339, rfc3339OrNull } from '../clock.ts'
import { requireAccount } from '../accounts/list-accounts.ts'
import { cancelMessages, type Cancellation } from '../messages/cancel-messages.ts'
import { notBelow } from '../messages/history-floor.ts'
import { longestAheadMs, type Moved, moveMessages } from '../messages/move-messages.ts'
import { appendAudit } from '../storage/audit-log.ts'
import { command, type CommandGroup, type OptionSpecs } from './command.ts'
import { UsageError } from './command-errors.ts'
import { readTime } from './read-time.ts'
import { eraseNumberCommand } from './message-erase.ts'
import { show } from './message-show.ts'
import { cliActor } from './toolbox.ts'

/** One unit of work: a list bounded like that of a request. */
const mostMessages = 100

const says: Record<Cancellation['result'], string> = {
  canceled: 'canceled; nothing of it was sent, and its SMS are free again',
  asked: 'with a phone, which is asked to let it go; history says whether it did',
  too_late: 'handed over or final already: nothing was changed',
  not_found: 'not known for this account and mode',
}

const whichMessages = {
  account: { type: 'text', value: 'ACCOUNT', says: 'Whose they are: acc_…', required: true },
  message: {
    type: 'text',
    value: 'MESSAGE',
    says: `Id of a message: msg_…; up to ${mostMessages} of them.`,
    repeatable: true,
  },
  mode: { type: 'text', value: 'MODE', says: 'Live when left out.', choices: ['live', 'test'] },
} as const satisfies OptionSpecs

const cancel = command({
  summary: 'Cancels messages that were not handed over yet.',
  details:
    'What waits ends at once. A phone that holds a message is asked to let it go. Exits with 1 when any of them could not be canceled.',
  arguments: [],
  options: whichMessages,
  async run(tools, { options }) {
    const { account: accountId, mode = 'live' } = options
    const ids = readIds(options.message)
    const results = await tools.withStorage(async ({ read, writer }) => {
      await requireAccount(read, accountId)
      return writer.write(async (tx) => {
        const nowMs = await notBelow(tx, tools.clock.now())
        const keys = ids.map((messageId) => ({ accountId, mode, messageId }))
        const canceled = await cancelMessages(tx, keys, { code: 'canceled_by_operator', nowMs })
        const detail = { mode, messages: canceled.map(({ messageId, result }) => ({ messageId, result })) }
        await appendAudit(
          tx,
          { ...tools, nowMs },
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
      text: results.map(({ messageId, result }) => `${messageId}  ${says[result]}`).join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

const saysMoved: Record<Moved['result'], string> = {
  moved: 'moved; it waits for its new time',
  too_late: 'not scheduled any more: nothing was changed',
  not_found: says.not_found,
}

const move = command({
  summary: 'Gives scheduled messages another time.',
  details:
    'Their validity moves with them. A time that has passed means at once. Exits with 1 when any of them was not scheduled any more.',
  arguments: [],
  options: {
    ...whichMessages,
    at: {
      type: 'text',
      value: 'TIME',
      says: 'When to send them, such as 2026-12-01T08:00:00+01:00; up to 30 days ahead.',
      required: true,
    },
  },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', at } = options
    const ids = readIds(options.message)
    const sendAtMs = readTime('--at', at)
    if (sendAtMs > tools.clock.now() + longestAheadMs)
      throw new UsageError('--at may lie up to 30 days ahead.')
    const results = await tools.withStorage(async ({ read, writer }) => {
      await requireAccount(read, accountId)
      return writer.write(async (tx) => {
        const nowMs = await notBelow(tx, tools.clock.now())
        const keys = ids.map((messageId) => ({ accountId, mode, messageId }))
        const moved = await moveMessages(tx, keys, { sendAtMs, nowMs })
        const messages = moved.map(({ messageId, result }) => ({ messageId, result }))
        const detail = { mode, send_at: rfc3339(sendAtMs), messages }
        await appendAudit(
          tx,
          { ...tools, nowMs },
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
      text: results.map(({ messageId, result }) => `${messageId}  ${saysMoved[result]}`).join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

function readIds(given: readonly string[]): string[] {
  if (given.length === 0 || given.length > mostMessages)
    throw new UsageError(`Name 1 to ${mostMessages} messages with --message.`)
  return [...new Set(given)]
}

export const messageCommands: CommandGroup = {
  summary: 'Messages: show one, cancel them, move scheduled ones, or erase those of a number.',
  commands: { show, cancel, move, erase: eraseNumberCommand },
}
