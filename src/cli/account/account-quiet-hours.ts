import { setQuietHours, timeOfDay } from '../../accounts/core/quiet-hours.ts'
import { rescheduleQuietHours } from '../../messages/queue/defer-for-quiet-hours.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

export const quietHoursCommand = command({
  summary: 'Sets the quiet hours of an account: messages wait until they end for the recipient.',
  details:
    'In local time of the recipient’s country; a country with several time zones is quiet while any of them is. Authentication messages and test mode are exempt. Delayed messages keep their validity period and expire when it ends.',
  arguments: [],
  options: {
    account: accountOption,
    from: { type: 'text', value: 'HH:MM', summary: 'Start, for example 21:00.' },
    until: { type: 'text', value: 'HH:MM', summary: 'End, for example 08:00.' },
    off: { type: 'flag', summary: 'No quiet hours.' },
  },
  async run(tools, { options }) {
    const { account: accountId, from, until, off } = options
    const hours =
      from !== undefined && until !== undefined
        ? { from: readTimeOfDay('--from', from), until: readTimeOfDay('--until', until) }
        : null
    if (off === (hours !== null) || (from === undefined) !== (until === undefined))
      throw new UsageError('Give --from and --until, or --off.')
    const nowMs = tools.clock.now()
    await tools.withStorage(({ writer }) =>
      writer.write(async (tx) => {
        await setQuietHours(tx, { ...tools, nowMs }, { accountId, hours, actor: cliActor })
        await rescheduleQuietHours(tx, accountId, nowMs)
      }),
    )
    const shown = hours === null ? null : { from: timeOfDay(hours.from), until: timeOfDay(hours.until) }
    return {
      json: { account_id: accountId, quiet_hours: shown },
      text:
        shown === null
          ? `${accountId} has no quiet hours.`
          : `${accountId} has quiet hours from ${shown.from} to ${shown.until}.`,
    }
  },
})

function readTimeOfDay(option: string, text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined)
    throw new UsageError(`${option} must be a time of day such as 21:00, not '${text}'.`)
  return Number(hours) * 60 + Number(minutes)
}
