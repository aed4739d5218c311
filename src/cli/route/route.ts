import { unusedPlans } from '../../accounts/core/account-plan.ts'
import { outcomesOf } from '../../devices/routes/resolve-way.ts'
import {
  addRule,
  findRule,
  readRules,
  removeRule,
  setRule,
  type StoredRule,
} from '../../devices/routes/rule-store.ts'
import { describeConditions } from '../../devices/routes/rule-words.ts'
import { readWay, WayFault, writeWay } from '../../devices/routes/way-words.ts'
import { ownCommand } from '../../process/own-command.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'
import { conditionOptions, readConditions, unavailableConditions } from './rule-conditions.ts'
import { apply } from './route-apply.ts'
import { explain } from './route-explain.ts'

const depsOf = (tools: CommandContext) => ({ ids: tools.ids, nowMs: tools.clock.now() })
const rule = { name: 'rule', summary: 'Rule ID: rul_…' } as const

const wayOptions = {
  way: {
    type: 'text',
    value: 'WAY',
    summary: "Devices in order, as 'own; grp_… after=5m': see the details.",
  },
  refuse: { type: 'flag', summary: 'Refuse the messages: 422 at the recipient.' },
} as const

const wayHelp = `A way is a list of stages, separated by ';'. A stage names devices (dev_…), groups (grp_…), own or shared, separated by ','. A later stage opens once no device of the stages before works (offline=10m: for so long; offline=never), for messages that have waited (after=5m), or while the stages before have no room (busy). Any stage takes hours=08:00-20:00@Europe/Berlin. Within a stage the least loaded device sends; by=listed prefers the first ones, and dev_a*70,dev_b*30 shares the messages out.`

function readStages(options: {
  way?: string | undefined
  refuse: boolean
}): readonly RuleStageJson[] | null | undefined {
  if (options.refuse && options.way !== undefined)
    throw new UsageError('Give either --way or --refuse, not both.')
  if (options.refuse) return null
  if (options.way === undefined) return undefined
  try {
    return readWay(options.way)
  } catch (error) {
    if (error instanceof WayFault) throw new UsageError(`--way: ${error.message}`)
    throw error
  }
}

const add = command({
  summary: 'Adds a rule: which way the messages go that it matches. The first rule that matches counts.',
  details: `${wayHelp} Rules of an account precede those of the operator. A rule concerns what is accepted from then on; ${ownCommand()} route apply --waiting applies it to what waits.`,
  arguments: [],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'Display name.', required: true },
    owner: {
      type: 'text',
      value: 'ACCOUNT',
      summary: 'Account whose own rule it is. Default: the operator.',
    },
    before: {
      type: 'text',
      value: 'RULE',
      summary: 'The rule before which it is asked. Default: after all others.',
    },
    ...wayOptions,
    ...conditionOptions,
  },
  unavailable: unavailableConditions,
  async run(tools, { options }) {
    const stages = readStages(options)
    if (stages === undefined) throw new UsageError('Give either --way or --refuse.')
    const { name, owner: accountId = null, before: beforeId } = options
    const conditions = readConditions(options)
    const added = {
      accountId,
      name,
      conditions,
      stages,
      ...(beforeId !== undefined && { beforeId }),
      actor: cliActor,
    }
    return tools.withStorage(async ({ read, writer }) => {
      const id = await writer.write((tx) => addRule(tx, depsOf(tools), added))
      return withHint(read, await findRule(read, id))
    })
  },
})

const list = command({
  summary: 'Lists rules in the order in which they are asked.',
  arguments: [],
  options: {
    owner: { type: 'text', value: 'ACCOUNT', summary: 'Only rules of this account. Default: all.' },
  },
  async run(tools, { options: { owner } }) {
    const rules = await tools.withStorage(({ read }) =>
      readRules(read, owner === undefined ? 'all' : { accountId: owner }),
    )
    return {
      json: { rules: rules.map(ruleDocument) },
      text:
        rules.length === 0
          ? 'No rules: own devices carry everything, and shared ones while none works.'
          : rules.map(ruleLine).join('\n'),
    }
  },
})

const show = command({
  summary: 'Shows one rule.',
  arguments: [rule],
  options: {},
  async run(tools, { arguments: [ruleId = ''] }) {
    const found = await tools.withStorage(({ read }) => findRule(read, ruleId))
    return { json: ruleDocument(found), text: ruleLine(found) }
  },
})

const set = command({
  summary: 'Changes a rule. What was accepted before keeps its way.',
  details: `${wayHelp} The conditions that are given replace all of them.`,
  arguments: [rule],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'New display name.' },
    all: { type: 'flag', summary: 'Match all messages.' },
    ...wayOptions,
    ...conditionOptions,
  },
  unavailable: unavailableConditions,
  async run(tools, { options, arguments: [ruleId = ''] }) {
    const stages = readStages(options)
    const conditions = readConditions(options)
    const isGiven = Object.keys(conditions).length > 0
    if (options.all && isGiven) throw new UsageError('Give either --all or conditions, not both.')
    if (stages === undefined && options.name === undefined && !options.all && !isGiven)
      throw new UsageError('Nothing to change: give at least one option.')
    const change = {
      ruleId,
      ...(options.name !== undefined && { name: options.name }),
      ...(stages !== undefined && { stages }),
      ...((options.all || isGiven) && { conditions }),
      actor: cliActor,
    }
    return changed(tools, change)
  },
})

const move = command({
  summary: 'Moves a rule to another place among those of its owner.',
  arguments: [rule],
  options: {
    before: {
      type: 'text',
      value: 'RULE',
      summary: 'The rule before which it is asked. Default: after all others.',
    },
  },
  run: (tools, { options: { before }, arguments: [ruleId = ''] }) =>
    changed(tools, { ruleId, beforeId: before ?? null, actor: cliActor }),
})

function changed(tools: CommandContext, change: Parameters<typeof setRule>[2]) {
  return tools.withStorage(async ({ read, writer }) => {
    await writer.write((tx) => setRule(tx, depsOf(tools), change))
    return withHint(read, await findRule(read, change.ruleId))
  })
}

/** A rule that was stored, and which of its plans no account has: one may be mistyped, or be given to accounts later. */
async function withHint(read: Db, stored: StoredRule) {
  const unknown = await unusedPlans(read, stored.conditions.plan ?? [])
  const hints = unknown.map((plan) => `No account has the plan ${plan}.`)
  return { json: ruleDocument(stored), text: [ruleLine(stored), ...hints].join('\n') }
}

const remove = command({
  summary: 'Removes a rule. What was accepted before keeps its way.',
  arguments: [rule],
  options: {},
  async run(tools, { arguments: [ruleId = ''] }) {
    await tools.withStorage(({ writer }) =>
      writer.write((tx) => removeRule(tx, depsOf(tools), { ruleId, actor: cliActor })),
    )
    return { json: { id: ruleId, removed: true }, text: `${ruleId} is removed.` }
  },
})

const ruleDocument = ({ id, accountId, name, conditions, stages, createdAt }: StoredRule) => ({
  id,
  account_id: accountId,
  name,
  conditions: {
    ...conditions,
    minParts: undefined,
    maxParts: undefined,
    min_parts: conditions.minParts,
    max_parts: conditions.maxParts,
  },
  way: stages === null ? null : writeWay(stages),
  ways: stages === null ? 0 : outcomesOf(stages),
  refuses: stages === null,
  created_at: rfc3339(createdAt),
})

const ruleLine = ({ id, accountId, name, conditions, stages }: StoredRule): string =>
  [id, ...(accountId === null ? [] : [accountId]), name, describeConditions(conditions), stages === null ? 'refuse' : writeWay(stages)].join('  ') // prettier-ignore

export const routeCommands: CommandGroup = {
  summary: 'Rules of routes: over which devices messages go, and in which order.',
  commands: { add, list, show, set, move, remove, apply, explain },
}
