import { Type } from 'typebox'
import {
  ConditionFault,
  type ConditionTexts,
  describeConditions,
  readConditions,
  writeConditions,
} from '../../../devices/routes/rule-words.ts'
import { addRule, countRules, readRules, removeRule, setRule } from '../../../devices/routes/rule-store.ts'
import { readWay, WayFault, writeWay } from '../../../devices/routes/way-words.ts'
import { invalidInput } from '../../../runtime/invalid-input.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { RuleConditions, RuleStageJson } from '../../../storage/tables/route-tables.ts'
import { defineCall, type UserContext } from '../core/call.ts'

export interface RuleView {
  id: string
  /** Null: of the operator. */
  accountId: string | null
  accountName: string | null
  name: string
  /** On one line. */
  conditions: string
  texts: ConditionTexts
  /** Null: messages are refused. */
  way: string | null
}

export interface RulesAnswer {
  /** In the order in which they are asked: those of the operator, and of the first accounts up to 1,000. */
  rules: RuleView[]
  /** How many there are. */
  total: number
  /** What a way can name besides `own` and `shared`: groups, and up to 100 shared devices for live messages. */
  names: { id: string; name: string }[]
}

const maxNamed = 100
/** As many as one owner can have. */
const maxOfAccounts = 1_000
/** A hundred accounts, the longest values, with a comma and a space each. */
const list = Type.Optional(Type.String({ maxLength: 5_000 }))
const parts = Type.Optional(Type.Integer({ minimum: 1, maximum: 10 }))
const Written = {
  name: Type.String({ maxLength: 100 }),
  /** Null: messages are refused. */
  way: Type.Union([Type.String({ maxLength: 5_000 }), Type.Null()]),
  conditions: Type.Object(
    { to: list, country: list, from: list, category: list, encoding: list, account: list, plan: list, mode: list, minParts: parts, maxParts: parts },
    closed,
  ),
} // prettier-ignore
const ruleId = Type.String({ pattern: '^rul_[0-9a-z]{26}$' })

/** The rules of routes, of the operator and of accounts. */
export const ruleCalls = {
  'operator/rules': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object({}, closed),
    async handle({ read }): Promise<RulesAnswer> {
      const [own, counts, groups, devices] = await Promise.all([
        readRules(read, { accountId: null }),
        countRules(read),
        read.selectFrom('device_groups').select(['id', 'name']).orderBy('id').limit(maxNamed).execute(),
        read
          .selectFrom('devices')
          .select(['id', 'name'])
          .where('account_id', 'is', null)
          .where('mode', '=', 'live')
          .where('state', '!=', 'retired')
          .orderBy('id')
          .limit(maxNamed)
          .execute(),
      ])
      // Whole accounts: a rule is moved among those of its owner.
      let left = maxOfAccounts
      const shown = counts.filter(({ rules }) => (left -= rules) >= 0)
      const accountIds = shown.map(({ accountId }) => accountId)
      const ofAccounts = accountIds.length === 0 ? [] : await readRules(read, { accountIds })
      const nameOf = new Map(shown.map(({ accountId, name }) => [accountId, name]))
      return {
        total: counts.reduce((sum, { rules }) => sum + rules, own.length),
        rules: [...ofAccounts, ...own].map(({ id, accountId, name, conditions, stages }) => ({
          id,
          accountId,
          accountName: accountId === null ? null : (nameOf.get(accountId) ?? null),
          name,
          conditions: describeConditions(conditions),
          texts: writeConditions(conditions),
          way: stages === null ? null : writeWay(stages),
        })),
        names: [...groups, ...devices],
      }
    },
  }),
  'operator/add-rule': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      { ...Written, accountId: Type.Union([Type.String({ maxLength: 64 }), Type.Null()]) },
      closed,
    ),
    async handle(context, { accountId, name, ...written }): Promise<{ ruleId: string }> {
      const rule = { accountId, name, ...readRule(written), actor: context.actor }
      return { ruleId: await context.writer.write((tx) => addRule(tx, depsOf(context), rule)) }
    },
  }),
  'operator/change-rule': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ ...Written, ruleId }, closed),
    async handle(context, { ruleId: id, name, ...written }): Promise<{ ruleId: string }> {
      const change = { ruleId: id, name, ...readRule(written), actor: context.actor }
      await context.writer.write((tx) => setRule(tx, depsOf(context), change))
      return { ruleId: id }
    },
  }),
  /** Moves a rule before another one of the same owner, or to the end. */
  'operator/move-rule': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ ruleId, beforeId: Type.Union([ruleId, Type.Null()]) }, closed),
    async handle(context, { ruleId: id, beforeId }): Promise<{ ruleId: string }> {
      const change = { ruleId: id, beforeId, actor: context.actor }
      await context.writer.write((tx) => setRule(tx, depsOf(context), change))
      return { ruleId: id }
    },
  }),
  'operator/remove-rule': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ ruleId }, closed),
    async handle(context, { ruleId: id }): Promise<{ ruleId: string }> {
      const removed = { ruleId: id, actor: context.actor }
      await context.writer.write((tx) => removeRule(tx, depsOf(context), removed))
      return { ruleId: id }
    },
  }),
}

const depsOf = ({ ids, clock }: UserContext) => ({ ids, nowMs: clock.now() })

/** Reads what a form has written. Rejects what cannot be a way or a condition. */
function readRule({ way, conditions }: { way: string | null; conditions: ConditionTexts }): {
  stages: readonly RuleStageJson[] | null
  conditions: RuleConditions
} {
  try {
    return { stages: way === null ? null : readWay(way), conditions: readConditions(conditions) }
  } catch (error) {
    if (!(error instanceof WayFault || error instanceof ConditionFault)) throw error
    const pointer = error instanceof WayFault ? '/way' : `/${error.condition}`
    throw invalidInput([{ pointer, code: 'invalid_format', detail: error.message }])
  }
}
