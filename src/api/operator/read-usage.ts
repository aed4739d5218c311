import { type Static, Type } from 'typebox'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { dayMs, utcDay } from '../../runtime/clock.ts'
import { readUsageDays } from '../../ledger/usage-pace.ts'
import { QueryReader, textThat, word } from '../query.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'
import type { OperatorOperation } from './operation.ts'

/** A year and its neighbours: one bill of a year in one request. */
const maxDays = 400
const usualDays = 30

const date = (description: string) => Type.String({ format: 'date', description })

const UsageSchema = Type.Object({
  object: oneOf(['usage'], 'What this object is.'),
  account_id: Type.String({ description: 'Whose.' }),
  mode: oneOf(modes, 'Which wallet.'),
  from: date('The first day.'),
  to: date('The day after the last one.'),
  sms: Type.Integer({ description: 'SMS charged on all of these days.' }),
  days: Type.Array(
    Type.Object({ date: date('A UTC day.'), sms: Type.Integer({ description: 'SMS charged on it.' }) }),
    { description: 'Oldest first; days without use are left out. The present day still grows.' },
  ),
})

export const readUsageOperation: OperatorOperation = {
  id: 'getUsage',
  method: 'GET',
  path: '/operator/v1/accounts/:account/usage',
  scope: 'read',
  summary: 'What an account has used, by day',
  description: `Counted in the transactions that charge. A message counts on the UTC day on which it was charged, which may be a later one than that of its
acceptance. At most ${maxDays} days at once.`,
  query: Type.Object({
    mode: Type.Optional({ ...oneOf(modes, 'Which wallet.'), default: 'live' }),
    from: Type.Optional(
      date(`The first UTC day, as 2026-11-01; ${usualDays} days before \`to\` when not given.`),
    ),
    to: Type.Optional(date('The UTC day after the last one; tomorrow when not given.')),
  }),
  answers: {
    200: {
      description: 'The use of these days.',
      schema: UsageSchema,
      example: {
        object: 'usage',
        account_id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg',
        mode: 'live',
        from: '2026-11-01',
        to: '2026-12-01',
        sms: 12,
        days: [
          { date: '2026-11-20', sms: 5 },
          { date: '2026-11-21', sms: 7 },
        ],
      } satisfies Static<typeof UsageSchema>,
    },
  },
  problems: ['invalid_query', 'not_found'],
  async handle({ read, clock }, { accountId, rawQuery }) {
    const { mode, fromDay, toDay } = readRange(rawQuery, utcDay(clock.now()))
    await requireAccount(read, accountId)
    const days = await readUsageDays(read, { accountId, mode }, fromDay, toDay)
    const used = days.filter(({ parts }) => parts > 0)
    const body: Static<typeof UsageSchema> = {
      object: 'usage',
      account_id: accountId,
      mode,
      from: dateOf(fromDay),
      to: dateOf(toDay),
      sms: used.reduce((sum, { parts }) => sum + parts, 0),
      days: used.map(({ day, parts }) => ({ date: dateOf(day), sms: parts })),
    }
    return { status: 200, body }
  },
}

function readRange(
  rawQuery: string,
  today: number,
): { mode: 'live' | 'test'; fromDay: number; toDay: number } {
  const query = new QueryReader(rawQuery, ['mode', 'from', 'to'])
  const mode = query.one('mode', word(modes)) ?? 'live'
  const aDay = textThat((text) => dayOf(text) !== null, 'Must be a day such as 2026-11-21.')
  const to = query.one('to', aDay)
  const from = query.one('from', aDay)
  const toDay = to === null ? today + 1 : (dayOf(to) as number)
  const fromDay = from === null ? toDay - usualDays : (dayOf(from) as number)
  if (fromDay >= toDay)
    query.fault('from', 'out_of_range', '`from` must lie before `to`, which is not part of it.')
  else if (toDay - fromDay > maxDays)
    query.fault('from', 'out_of_range', `At most ${maxDays} days may be asked for at once.`)
  query.end()
  return { mode, fromDay, toDay }
}

/** Whole days since 1970 UTC; null for a day that no month has. */
function dayOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const atMs = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(atMs) || dateOf(atMs / dayMs) !== text ? null : atMs / dayMs
}

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
