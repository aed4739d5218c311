import { matches, type Matched, type Rule, sendsTo } from '../../devices/routes/rule.ts'
import type { Destinations, RuleStageJson } from '../../storage/tables/route-tables.ts'
import type { Mode } from '../../storage/tables/schema.ts'

/** A device that does not send to every number. */
export interface LimitedDevice {
  id: string
  accountId: string | null
  mode: Mode
  destinations: Destinations
}

/** What rules say of a message, before its weights are drawn. */
export interface RuleChoice {
  /** The first rule that matches; null: none. */
  rule: Pick<Rule, 'id' | 'name' | 'accountId'> | null
  isRefused: boolean
  /** Null: no rule matches. */
  stages: readonly RuleStageJson[] | null
  /** Devices that do not send to its number. */
  not: readonly string[]
}

const noRule: RuleChoice = { rule: null, isRefused: false, stages: null, not: [] }

/** Finds the first rule that matches a message, and the devices that do not send to its number. */
export function chooseRule(
  rules: readonly Rule[],
  limited: readonly LimitedDevice[],
  message: Matched,
): RuleChoice {
  if (rules.length === 0 && limited.length === 0) return noRule
  const rule = rules.find((each) => matches(each, message)) ?? null
  const not = limited.filter(
    ({ accountId, mode, destinations }) =>
      mode === message.mode &&
      (accountId === null || accountId === message.accountId) &&
      !sendsTo(destinations, message.to),
  )
  return {
    rule: rule === null ? null : { id: rule.id, name: rule.name, accountId: rule.accountId },
    isRefused: rule !== null && rule.stages === null,
    stages: rule?.stages ?? null,
    not: not.map(({ id }) => id),
  }
}
