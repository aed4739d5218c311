import { requireAccount } from '../accounts/list-accounts.ts'
import { cancelMessages, type Cancellation } from '../messages/cancel-messages.ts'
import { appendAudit } from '../storage/audit-log.ts'
import { command, type CommandGroup } from './command.ts'
import { UsageError } from './command-errors.ts'
import { eraseNumberCommand } from './message-erase.ts'
import { cliActor } from './toolbox.ts'

/** One unit of work: a list bounded like that of a request. */
const mostMessages = 100

const says: Record<Cancellation['result'], string> = {
  canceled: 'canceled; nothing of it was sent, and its SMS are free again',
  asked: 'with a phone, which is asked to let it go; history says whether it did',
  too_late: 'handed over or final already: nothing was changed',
  not_found: 'not known for this account and mode',
}

const cancel = command({
  summary: 'Cancels messages that were not handed over yet.',
  details:
    'What waits ends at once. A phone that holds a message is asked to let it go. Exits with 1 when any of them could not be canceled.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Whose they are: acc_…', required: true },
    message: {
      type: 'text',
      value: 'MESSAGE',
      says: `Id of a message: msg_…; up to ${mostMessages} of them.`,
      repeatable: true,
    },
    mode: { type: 'text', value: 'MODE', says: 'Live when left out.', choices: ['live', 'test'] },
  },
  async run(tools, { options }) {
    const { account: accountId, message: ids, mode = 'live' } = options
    if (ids.length === 0 || ids.length > mostMessages)
      throw new UsageError(`Name 1 to ${mostMessages} messages with --message.`)
    const nowMs = tools.clock.now()
    const results = await tools.withStorage(async ({ read, writer }) => {
      await requireAccount(read, accountId)
      return writer.write(async (tx) => {
        const keys = [...new Set(ids)].map((messageId) => ({ accountId, mode, messageId }))
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

export const messageCommands: CommandGroup = {
  summary: 'Messages: cancel them, or erase those of a number.',
  commands: { cancel, erase: eraseNumberCommand },
}
