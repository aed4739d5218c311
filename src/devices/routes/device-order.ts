import type { Ids } from '../../runtime/ids.ts'
import { invalidInput } from '../../runtime/invalid-input.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'
import { addRule, readRules, removeRule, setRule, type StoredRule } from './rule-store.ts'
import { maxStages } from './way-words.ts'

/** A step of the order in which an account's messages go over devices: a rule of one device a stage, as its owner makes it. */
export interface OrderStep {
  /** A device, `own` for all of the account that no step names, or `shared`. */
  use: string
  /** It gets messages also while those before have no room. The first step takes no condition. */
  isForBusy: boolean
  /** It gets messages also when they have waited so long; null: only when none before works. */
  afterMinutes: number | null
}

/** The order of an account, and what else decides about its messages. */
export interface DeviceOrder {
  /** Null: the rule for all messages says more than an order, and is the operator's to change. Empty: the usual way. */
  steps: OrderStep[] | null
  /** Rules of the account for some messages, which are asked first. */
  otherRules: number
}

const secondsOfMinute = 60
const name = 'Order of devices'

/** Returns the order of an account's devices. */
export async function readDeviceOrder(db: Db, accountId: string): Promise<DeviceOrder> {
  const rules = await readRules(db, { accountId })
  const rule = ruleForAll(rules)
  const otherRules = rules.length - (rule === undefined ? 0 : 1)
  return { steps: rule === undefined ? [] : stepsOf(rule.stages), otherRules }
}

/**
 * Sets the order of an account's devices, as its rule for all messages behind those for some. No steps: the usual way. Rejects
 * what `addRule` rejects, and an account whose rule for all messages says more than an order.
 */
export async function setDeviceOrder(
  tx: Tx,
  deps: { ids: Ids; nowMs: number },
  { accountId, steps, actor }: { accountId: string; steps: readonly OrderStep[]; actor: string },
): Promise<void> {
  const rule = ruleForAll(await readRules(tx, { accountId }))
  if (rule !== undefined && stepsOf(rule.stages) === null)
    throw rejected(`The rule ${rule.name} decides for all messages, and says more than an order: the operator changes it.`) // prettier-ignore
  if (steps.length > maxStages) throw rejected(`An order has at most ${maxStages} steps.`)
  if (new Set(steps.map(({ use }) => use)).size < steps.length) throw rejected('The order names a device twice.') // prettier-ignore
  const stages = steps.map(stageOf)
  if (rule === undefined && stages.length > 0) await addRule(tx, deps, { accountId, name, conditions: {}, stages, actor }) // prettier-ignore
  if (rule !== undefined && stages.length > 0) await setRule(tx, deps, { ruleId: rule.id, stages, actor })
  if (rule !== undefined && stages.length === 0) await removeRule(tx, deps, { ruleId: rule.id, actor })
}

const rejected = (detail: string) => invalidInput([{ code: 'invalid_format', detail }])

const ruleForAll = (rules: readonly StoredRule[]): StoredRule | undefined =>
  rules.find(({ conditions }) => Object.keys(conditions).length === 0)

function stageOf({ use, isForBusy, afterMinutes }: OrderStep, place: number): RuleStageJson {
  if (place === 0) return { use: [use] }
  return {
    use: [use],
    ...(isForBusy && { busy: true as const }),
    ...(afterMinutes !== null && { afterSeconds: afterMinutes * secondsOfMinute }),
  }
}

/** Null where stages say what no order can say. */
function stepsOf(stages: readonly RuleStageJson[] | null): OrderStep[] | null {
  if (stages === null) return null
  const steps = stages.map(({ use, busy, afterSeconds, ...more }): OrderStep | null => {
    const isWhole = (afterSeconds ?? 0) % secondsOfMinute === 0
    if (use.length !== 1 || Object.keys(more).length > 0 || !isWhole) return null
    const afterMinutes = afterSeconds === undefined ? null : afterSeconds / secondsOfMinute
    return { use: use[0] as string, isForBusy: busy === true, afterMinutes }
  })
  return steps.includes(null) ? null : (steps as OrderStep[])
}
