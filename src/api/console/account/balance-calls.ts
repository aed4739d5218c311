import { type Static, Type } from 'typebox'
import { dayMs, rfc3339, utcDay } from '../../../runtime/clock.ts'
import { refuse } from '../../../runtime/errors.ts'
import { realKinds } from '../../../connectors/registry.ts'
import { areOwnDevicesFree } from '../../../devices/core/own-carriers.ts'
import { closed } from '../../../runtime/schemas.ts'
import { type Balance, readBalance } from '../../../ledger/balance.ts'
import { setLowThreshold } from '../../../ledger/low-threshold.ts'
import { readStatement, type Statement, type StatementRow } from '../../../ledger/statement.ts'
import { isLowForUse, type Pace, paceOf, readUsageDays, type UsageDay } from '../../../ledger/usage-pace.ts'
import { type AccountContext, defineCall, defineDownload } from '../core/call.ts'
import { csvLine, csvMark } from '../core/csv.ts'

export interface BalanceAnswer extends Balance {
  /** Own devices carry live messages for nothing now: a low balance is a warning only if it is used. */
  areOwnFree: boolean
  pace: Pace
  /** SMS used on each UTC day, oldest first; the last day is today. */
  burn: UsageDay[]
  /** True when the user is allowed to change the threshold. */
  canSetThreshold: boolean
}

export interface StatementAnswer extends Statement {
  /** Names of users, by the actors of entries. */
  names: Record<string, string>
}

const burnDays = 90
const maxDays = 400
const Period = Type.Object(
  {
    fromDay: Type.Integer({ minimum: 0, maximum: 100_000 }),
    /** First day after the period. */
    toDay: Type.Integer({ minimum: 0, maximum: 100_000 }),
  },
  closed,
)

export const balanceCalls = {
  /** Returns the balance, the rate of use, and how long the balance lasts. */
  'balance/summary': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    handle: (context) => readSummary(context),
  }),

  /** Returns credits and usage in a period, each line with the balance after it. */
  'balance/statement': defineCall({
    kind: 'read',
    access: 'member',
    input: Period,
    async handle(context, period): Promise<StatementAnswer> {
      const statement = await statementOf(context, period)
      return { ...statement, names: await namesOf(context, statement.rows) }
    },
  }),

  /** Returns the statement as a file. */
  'balance/export': defineDownload({
    access: 'member',
    input: Period,
    async handle(context, period) {
      const statement = await statementOf(context, period)
      const names = await namesOf(context, statement.rows)
      const first = rfc3339(statement.fromDay * dayMs).slice(0, 10)
      return {
        name: `statement-${context.account.mode}-${first}.csv`,
        contentType: 'text/csv; charset=utf-8',
        chunks: writeStatement(statement, names),
      }
    },
  }),

  /** Sets the threshold from which sends have a warning. */
  'balance/threshold': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ threshold: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) }, closed),
    async handle({ writer, ids, clock, account, actor }, { threshold }): Promise<{ threshold: number }> {
      const { id: accountId, mode } = account
      await writer.write((tx) =>
        setLowThreshold(tx, { ids, nowMs: clock.now() }, { accountId, mode, threshold, actor }),
      )
      return { threshold }
    },
  }),
}

async function readSummary({ read, clock, account }: AccountContext): Promise<BalanceAnswer> {
  const nowMs = clock.now()
  const today = utcDay(nowMs)
  const wallet = { accountId: account.id, mode: account.mode }
  const [balance, areOwnFree, burn] = await Promise.all([
    readBalance(read, account.id, account.mode, nowMs),
    account.mode === 'live' && areOwnDevicesFree(read, account.id, realKinds),
    readUsageDays(read, wallet, today - burnDays + 1, today + 1),
  ])
  if (balance === null) throw refuse('not_found')
  const pace = paceOf(burn.slice(0, -1), balance.available)
  const isLow = isLowForUse(balance, areOwnFree, burn)
  return { ...balance, isLow, areOwnFree, pace, burn, canSetThreshold: account.role === 'owner' }
}

async function statementOf(
  { read, clock, account }: AccountContext,
  { fromDay, toDay }: Static<typeof Period>,
): Promise<Statement> {
  if (toDay <= fromDay || toDay - fromDay > maxDays)
    throw refuse('validation_failed', {
      errors: [
        {
          pointer: '/toDay',
          code: 'out_of_range',
          detail: `Must be after the first day, at most ${maxDays} days later.`,
        },
      ],
    })
  return readStatement(
    read,
    { accountId: account.id, mode: account.mode },
    { fromDay, toDay, nowMs: clock.now() },
  )
}

async function namesOf(
  { read }: AccountContext,
  rows: readonly StatementRow[],
): Promise<Record<string, string>> {
  const actors = new Set(rows.flatMap((row) => (row.kind === 'usage' ? [] : [row.actor])))
  const userIds = [...actors].filter((actor) => actor.startsWith('usr_'))
  if (userIds.length === 0) return {}
  const found = await read.selectFrom('users').select(['id', 'name']).where('id', 'in', userIds).execute()
  return Object.fromEntries(found.map(({ id, name }) => [id, name]))
}

async function* writeStatement(
  { fromDay, opening, rows }: Statement,
  names: Readonly<Record<string, string>>,
): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(['at', 'kind', 'sms', 'balance', 'note', 'by', 'id'])}`
  yield csvLine([rfc3339(fromDay * dayMs), 'opening', null, opening, null, null, null])
  for (const row of rows) {
    const at = rfc3339(row.atMs)
    yield row.kind === 'usage'
      ? csvLine([at, 'usage', row.sms, row.balance, null, null, null])
      : csvLine([at, row.kind, row.sms, row.balance, row.note, names[row.actor] ?? row.actor, row.id])
  }
}
