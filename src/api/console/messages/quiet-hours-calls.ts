import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import { type QuietHours, setQuietHours } from '../../../accounts/core/quiet-hours.ts'
import { rescheduleQuietHours } from '../../../messages/queue/defer-for-quiet-hours.ts'
import { defineCall } from '../core/call.ts'

export interface QuietHoursAnswer {
  /** Minutes of the day of the recipient; null: no quiet hours. */
  hours: QuietHours | null
  /** True when the user is allowed to change them. */
  canSet: boolean
}

const minuteOfDay = Type.Integer({ minimum: 0, maximum: 1_439 })
/** Hours that begin when they end are refused later. */
export const quietHoursInput = Type.Union([
  Type.Object({ from: minuteOfDay, until: minuteOfDay }, closed),
  Type.Null(),
])

/** The quiet hours of an account, as its members see and its owners set them. */
export const quietHoursCalls = {
  'quiet-hours/read': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, account }): Promise<QuietHoursAnswer> {
      const row = await read
        .selectFrom('accounts')
        .select(['quiet_from', 'quiet_until'])
        .where('id', '=', account.id)
        .executeTakeFirstOrThrow()
      const { quiet_from: from, quiet_until: until } = row
      return {
        hours: from === null || until === null ? null : { from, until },
        canSet: account.role === 'owner',
      }
    },
  }),

  'quiet-hours/set': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ hours: quietHoursInput }, closed),
    async handle(context, { hours }): Promise<{ hours: QuietHours | null }> {
      const { writer, ids, clock, account, actor } = context
      const nowMs = clock.now()
      await writer.write(async (tx) => {
        await setQuietHours(tx, { ids, nowMs }, { accountId: account.id, hours, actor })
        await rescheduleQuietHours(tx, account.id, nowMs)
      })
      return { hours }
    },
  }),
}
