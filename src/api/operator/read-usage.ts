import { type Static, Type } from 'typebox'
import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { dayMs, utcDay } from '../../runtime/clock.ts'
import { readUsageDays } from '../../ledger/usage-pace.ts'
import { QueryReader, textThat, word } from '../edge/query.ts'
import { oneOf } from '../../runtime/schemas.ts'
import { modes } from '../../storage/tables/column-values.ts'
import type { OperatorOperation } from './operation.ts'

/** More than a year: one annual bill in one request. */
const maxDays = 400
const defaultDays = 30

const date = (description: string) => Type.String({ format: 'date', description })

const UsageSchema = Type.Object({
  object: oneOf(['usage'], 'Type of the object.'),
  account_id: Type.String({ description: 'Account ID.' }),
  mode: oneOf(modes, 'Mode of the wallet.'),
  from: date('First day.'),
  to: date('Day after the last day.'),
  sms: Type.Integer({ description: 'SMS charged on all of these days.' }),
  days: Type.Array(
    Type.Object({ date: date('A UTC day.'), sms: Type.Integer({ description: 'SMS charged on this day.' }) }),
    { description: 'Days with usage, oldest first. The current day is incomplete.' },
  ),
})

export const readUsageOperation: OperatorOperation = {
  id: 'getUsage',
  method: 'GET',
  path: '/operator/v1/accounts/:account/usage',
  scope: 'read',
  summary: 'Get usage by day',
  description: `Returns the SMS that an account was charged, counted in the transactions that charge them. A message counts on the UTC day of its charge, which can be
later than the day on which it was accepted. Maximum: ${maxDays} days per request.`,
  query: Type.Object({
    mode: Type.Optional({ ...oneOf(modes, 'Mode of the wallet.'), default: 'live' }),
    from: Type.Optional(
      date(`First UTC day, for example 2026-11-01. Default: ${defaultDays} days before \`to\`.`),
    ),
    to: Type.Optional(date('UTC day after the last day. Default: tomorrow.')),
  }),
  answers: {
    200: {
      description: 'Usage of these days.',
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
  const fromDay = from === null ? toDay - defaultDays : (dayOf(from) as number)
  if (fromDay >= toDay) query.fault('from', 'out_of_range', 'Must be before `to`, which is not included.')
  else if (toDay - fromDay > maxDays)
    query.fault('from', 'out_of_range', `The range must have at most ${maxDays} days.`)
  query.end()
  return { mode, fromDay, toDay }
}

/** Returns whole days since 1970 UTC; null for a date that does not exist. */
function dayOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const atMs = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(atMs) || dateOf(atMs / dayMs) !== text ? null : atMs / dayMs
}

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
