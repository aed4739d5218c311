import { type AccountLimits, setAccountLimits } from '../../accounts/core/accounts.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

export const limitCommand = command({
  summary:
    'Sets limits of an account: a number, 0 for no limit, or "default" for the setting of the instance.',
  arguments: [],
  options: {
    account: accountOption,
    'send-per-minute': { type: 'text', value: 'N', summary: 'Send requests per minute, in each mode.' },
    'read-per-minute': { type: 'text', value: 'N', summary: 'Read requests per minute, in each mode.' },
    queue: { type: 'text', value: 'N', summary: 'Queued messages, in each mode.' },
    'number-per-hour': { type: 'text', value: 'N', summary: 'Live messages per hour to one number.' },
    'prefix-per-hour': {
      type: 'text',
      value: 'N',
      summary:
        'Live messages per hour to one number block: numbers that differ only in the last three digits.',
    },
    'pumping-numbers': {
      type: 'text',
      value: 'N',
      summary: 'Numbers of one block that can receive codes per hour before the account is suspended.',
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
      throw new UsageError('Give at least one limit, for example --send-per-minute or --queue.')
    const { account: accountId } = options
    const now = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        setAccountLimits(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, limits, actor: cliActor }),
      ),
    )
    const shown = (value: number | null): string =>
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
      text: `${accountId}: sends per minute ${shown(now.sendPerMinute)}, reads per minute ${shown(now.readPerMinute)}, queued messages ${shown(now.queueLimit)}, messages per hour to one number ${shown(now.numberPerHour)}, to one number block ${shown(now.prefixPerHour)}, numbers of one block with codes ${shown(now.pumpingNumbers)}.`,
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
    throw new UsageError(`--${option} must be a whole number or "default", not '${text}'.`)
  return { [name]: Number(text) }
}
