import { type AccountLimits, setAccountLimits } from '../../accounts/core/accounts.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'

export const limitCommand = command({
  summary:
    'Sets limits of one account: a number, 0 for no limit, or "default" for the setting of the instance.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Whose they are: acc_…', required: true },
    'send-per-minute': { type: 'text', value: 'N', says: 'Sends a minute, for each mode.' },
    'read-per-minute': { type: 'text', value: 'N', says: 'Reads a minute, for each mode.' },
    queue: { type: 'text', value: 'N', says: 'Messages that may wait, for each mode.' },
    'number-per-hour': { type: 'text', value: 'N', says: 'Live messages to one number in an hour.' },
    'prefix-per-hour': {
      type: 'text',
      value: 'N',
      says: 'Live messages in an hour to numbers that differ in the last three digits.',
    },
    'pumping-numbers': {
      type: 'text',
      value: 'N',
      says: 'Neighbouring numbers that codes may go to in an hour before the account is suspended.',
    },
  },
  async run(tools, { options }) {
    const limits = {
      ...readLimit('sendPerMinute', 'send-per-minute', options['send-per-minute']),
      ...readLimit('readPerMinute', 'read-per-minute', options['read-per-minute']),
      ...readLimit('queueLimit', 'queue', options.queue),
      ...readLimit('numberPerHour', 'number-per-hour', options['number-per-hour']),
      ...readLimit('prefixPerHour', 'prefix-per-hour', options['prefix-per-hour']),
      ...readLimit('pumpingNumbers', 'pumping-numbers', options['pumping-numbers']),
    }
    if (Object.keys(limits).length === 0)
      throw new UsageError('Name at least one limit, such as --send-per-minute or --queue.')
    const { account: accountId } = options
    const now = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        setAccountLimits(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, limits, actor: cliActor }),
      ),
    )
    const said = (value: number | null): string =>
      value === null ? 'default' : value === 0 ? 'none' : String(value)
    return {
      json: {
        account_id: accountId,
        send_per_minute: now.sendPerMinute,
        read_per_minute: now.readPerMinute,
        queue_limit: now.queueLimit,
        number_per_hour: now.numberPerHour,
        prefix_per_hour: now.prefixPerHour,
        pumping_numbers: now.pumpingNumbers,
      },
      text: `${accountId}: sends a minute ${said(now.sendPerMinute)}, reads a minute ${said(now.readPerMinute)}, waiting messages ${said(now.queueLimit)}, an hour to one number ${said(now.numberPerHour)}, to its neighbours ${said(now.prefixPerHour)}, neighbours with codes ${said(now.pumpingNumbers)}.`,
    }
  },
})

function readLimit(
  name: keyof AccountLimits,
  option: string,
  text: string | undefined,
): Record<string, number | null> {
  if (text === undefined) return {}
  if (text === 'default') return { [name]: null }
  if (!/^\d{1,10}$/.test(text))
    throw new UsageError(`--${option} needs a whole number or "default"; it was '${text}'.`)
  return { [name]: Number(text) }
}
