import type { Selectable } from 'kysely'
import { refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { readJson, writeJson } from '../../storage/tables/json-columns.ts'
import type { RouteRuleTable, RuleConditions, RuleStageJson } from '../../storage/tables/route-tables.ts'
import { requireOpenOwner } from '../core/device-owner.ts'
import type { Rule } from './rule.ts'

interface Deps {
  ids: Ids
  nowMs: number
}

/** A rule as it is stored, with its place among those of its owner. */
export interface StoredRule extends Rule {
  place: number
  createdAt: number
}

interface NewRule {
  /** Null: of the operator. */
  accountId: string | null
  name: string
  conditions: RuleConditions
  /** Null: messages are refused. */
  stages: readonly RuleStageJson[] | null
  /** The rule before which it is asked. Omitted: after all others of its owner. */
  beforeId?: string
  actor: string
}

/** Every send looks at them in order: a thousand take some 20 µs. */
const maxRules = 1_000
/** Places are apart, so that a rule moves between two others without theirs. */
const placeStep = 2 ** 20

/** Adds a rule. Rejects invalid names, unknown accounts, rules, devices and groups, and devices of another account. */
export async function addRule(tx: Tx, deps: Deps, rule: NewRule): Promise<string> {
  const { accountId, name, conditions, stages, beforeId, actor } = rule
  rejectFaults(nameFaults(name.trim()))
  await requireOpenOwner(tx, accountId)
  await requireNamed(tx, accountId, stages)
  const others = await readRules(tx, { accountId })
  if (others.length >= maxRules)
    throw invalidInput([{ code: 'too_many_items', detail: `An account has at most ${maxRules} rules.` }])
  const id = deps.ids('rul')
  await tx
    .insertInto('route_rules')
    .values({
      id,
      account_id: accountId,
      place: await placeBefore(tx, others, beforeId),
      name: name.trim(),
      conditions: writeJson(conditions),
      stages: stages === null ? null : writeJson(stages),
      created_at: deps.nowMs,
      updated_at: deps.nowMs,
    })
    .execute()
  await noteChange(tx, deps, { accountId, actor, action: 'route.added', detail: { ruleId: id, name, conditions, stages } }) // prettier-ignore
  return id
}

interface RuleChange {
  ruleId: string
  name?: string
  conditions?: RuleConditions
  stages?: readonly RuleStageJson[] | null
  /** The rule before which it is asked from now on; null: after all others of its owner. */
  beforeId?: string | null
  actor: string
}

/** Changes only what is given. Rejects what `addRule` rejects. */
export async function setRule(tx: Tx, deps: Deps, change: RuleChange): Promise<void> {
  const { ruleId, name, conditions, stages, beforeId, actor } = change
  const rule = await findRule(tx, ruleId)
  if (name !== undefined) rejectFaults(nameFaults(name.trim()))
  if (stages !== undefined) await requireNamed(tx, rule.accountId, stages)
  const others = (await readRules(tx, rule)).filter(({ id }) => id !== ruleId)
  await tx
    .updateTable('route_rules')
    .set({
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(conditions === undefined ? {} : { conditions: writeJson(conditions) }),
      ...(stages === undefined ? {} : { stages: stages === null ? null : writeJson(stages) }),
      ...(beforeId === undefined ? {} : { place: await placeBefore(tx, others, beforeId ?? undefined) }),
      updated_at: deps.nowMs,
    })
    .where('id', '=', ruleId)
    .execute()
  const { actor: _, ...detail } = change
  await noteChange(tx, deps, { accountId: rule.accountId, actor, action: 'route.changed', detail })
}

/** Removes a rule. What it was applied to keeps its way. Rejects an unknown one. */
export async function removeRule(
  tx: Tx,
  deps: Deps,
  { ruleId, actor }: { ruleId: string; actor: string },
): Promise<void> {
  const { accountId, name } = await findRule(tx, ruleId)
  await tx.deleteFrom('route_rules').where('id', '=', ruleId).execute()
  await noteChange(tx, deps, { accountId, actor, action: 'route.removed', detail: { ruleId, name } })
}

/** Returns the rules of one owner in their order, of some accounts, or of all; those of accounts first. */
export async function readRules(
  db: Db | Tx,
  scope: { accountId: string | null } | { accountIds: readonly string[] } | 'all',
): Promise<StoredRule[]> {
  const all = db.selectFrom('route_rules').selectAll()
  const rows = await (
    scope === 'all'
      ? all
      : 'accountIds' in scope
        ? all.where('account_id', 'in', scope.accountIds)
        : scope.accountId === null
          ? all.where('account_id', 'is', null)
          : all.where('account_id', '=', scope.accountId)
  )
    .orderBy('place')
    .orderBy('id')
    .execute()
  const rules = rows.map(ruleOf)
  const isOperators = ({ accountId }: StoredRule): number => (accountId === null ? 1 : 0)
  return rules.toSorted((a, b) => isOperators(a) - isOperators(b))
}

/** Returns how many rules each account has, in the order of their IDs. */
export async function countRules(db: Db): Promise<{ accountId: string; name: string; rules: number }[]> {
  const rows = await db
    .selectFrom('route_rules as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(({ fn }) => ['a.id', 'a.name', fn.countAll<number>().as('rules')])
    .groupBy(['a.id', 'a.name'])
    .orderBy('a.id')
    .execute()
  return rows.map(({ id, ...row }) => ({ accountId: id, ...row }))
}

/** Returns one rule. Rejects an unknown one. */
export async function findRule(db: Db | Tx, ruleId: string): Promise<StoredRule> {
  const row = await db.selectFrom('route_rules').selectAll().where('id', '=', ruleId).executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `Unknown rule ${ruleId}.` })
  return ruleOf(row)
}

const ruleOf = (row: Selectable<RouteRuleTable>): StoredRule => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  conditions: readJson(row.conditions),
  stages: row.stages === null ? null : readJson(row.stages),
  place: row.place,
  createdAt: row.created_at,
})

/** Finds the place before a rule, or at the end. Where two rules have none between them, all of the owner move apart. */
async function placeBefore(
  tx: Tx,
  others: readonly StoredRule[],
  beforeId: string | undefined,
): Promise<number> {
  const at = beforeId === undefined ? others.length : others.findIndex(({ id }) => id === beforeId)
  if (at < 0) throw refuse('not_found', { detail: `${beforeId} is no rule of the same owner.` })
  const lower = others[at - 1]?.place ?? 0
  const upper = others[at]?.place ?? lower + 2 * placeStep
  if (upper - lower > 1) return Math.floor((lower + upper) / 2)
  for (const [i, { id }] of others.entries())
    await tx
      .updateTable('route_rules')
      .set({ place: (i + 1) * placeStep })
      .where('id', '=', id)
      .execute()
  return at * placeStep + placeStep / 2
}

/** Rejects devices and groups that do not exist, and those of an account that the rule cannot use. */
async function requireNamed(
  tx: Tx,
  accountId: string | null,
  stages: readonly RuleStageJson[] | null,
): Promise<void> {
  const names = [...new Set((stages ?? []).flatMap(({ use }) => use))]
  const devices = names.filter((name) => name.startsWith('dev_'))
  const groups = names.filter((name) => name.startsWith('grp_'))
  const found = devices.length === 0 ? [] : await tx.selectFrom('devices').select(['id', 'account_id']).where('id', 'in', devices).where('state', '!=', 'retired').execute() // prettier-ignore
  const known = groups.length === 0 ? [] : await tx.selectFrom('device_groups').select('id').where('id', 'in', groups).execute() // prettier-ignore
  const ids = new Set([...found, ...known].map(({ id }) => id))
  const missing = [...devices, ...groups].find((name) => !ids.has(name))
  if (missing !== undefined) throw refuse('not_found', { detail: `${missing} not found.` })
  const foreign = found.find((device) => accountId !== null && device.account_id !== null && device.account_id !== accountId) // prettier-ignore
  if (foreign !== undefined) throw refuse('not_found', { detail: `${foreign.id} belongs to another account.` }) // prettier-ignore
}

function rejectFaults(faults: ReturnType<typeof nameFaults>): void {
  if (faults.length > 0) throw invalidInput(faults)
}

async function noteChange(tx: Tx, deps: Deps, entry: Parameters<typeof appendAudit>[2]): Promise<void> {
  await appendAudit(tx, deps, entry)
  await touchDirectory(tx)
}
