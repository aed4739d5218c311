import { chooseRule, type LimitedDevice } from '../../src/dispatch/routes/choose-rule.ts'
import type { Candidate } from '../../src/dispatch/routes/candidate.ts'
import { explainRoute } from '../../src/dispatch/routes/explain-route.ts'
import { usualNow } from '../../src/dispatch/routes/walk-way.ts'
import { resolveWay } from '../resolve-way.ts'
import type { Matched, Rule } from '../../src/devices/routes/rule.ts'
import { usualWay } from '../../src/devices/routes/way.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import type { RuleConditions } from '../../src/storage/tables/route-tables.ts'
import { route } from './candidates.ts'

/** The rules and the devices that a message meets. */
export interface RuledHouse {
  rules: readonly Rule[]
  limited: readonly LimitedDevice[]
  devices: readonly Candidate[]
}

interface Decided {
  isRefused: boolean
  /** The devices that may have the message now, of which one gets it; empty: it waits. */
  given: string[]
  /** Every device that its way names and that could carry it. */
  named: string[]
}

/** A rule as `onesixty route add` makes it; without a way it refuses. */
export const ruleOf = (conditions: RuleConditions, way: string | null): Rule => ({
  id: 'rul_1',
  accountId: null,
  name: 'R',
  conditions,
  stages: way === null ? null : readWay(way),
})

/** Decides a message as accepting, claiming and explaining it do. */
export function decide({ rules, limited, devices }: RuledHouse, message: Matched): Decided {
  const choice = chooseRule(rules, limited, message)
  if (choice.isRefused) return { isRefused: true, given: [], named: [] }
  const way = resolveWay(choice.stages, { messageId: 'msg_1', not: choice.not }) ?? usualWay
  const asked = { route: route(message.accountId, message.from), parts: message.parts, devices }
  const explained = explainRoute({ ...asked, now: { ...usualNow, way } })
  const all = explained.flatMap((stage) => stage.devices)
  const idsOf = (...verdicts: readonly string[]): string[] =>
    all.flatMap(({ id, verdict }) => (verdicts.includes(verdict) ? [id] : []))
  return {
    isRefused: false,
    given: idsOf('next', 'equal'),
    named: idsOf('next', 'equal', 'later_stage', 'offline'),
  }
}
