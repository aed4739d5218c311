import {
  ConditionFault,
  listSummaries,
  readConditions as readTexts,
} from '../../devices/routes/rule-words.ts'
import type { RuleConditions } from '../../storage/tables/route-tables.ts'
import { UsageError } from '../core/command-errors.ts'
import type { OptionValues } from '../core/command.ts'

/** What a rule matches, as options: each is a list, of which a message must have one. */
export const conditionOptions = {
  to: { type: 'text', value: 'PREFIXES', summary: listSummaries.to },
  country: { type: 'text', value: 'COUNTRIES', summary: listSummaries.country },
  from: { type: 'text', value: 'SENDERS', summary: listSummaries.from },
  category: { type: 'text', value: 'CATEGORIES', summary: listSummaries.category },
  encoding: { type: 'text', value: 'ENCODINGS', summary: listSummaries.encoding },
  account: { type: 'text', value: 'ACCOUNTS', summary: listSummaries.account },
  plan: { type: 'text', value: 'PLANS', summary: listSummaries.plan },
  mode: { type: 'text', value: 'MODES', summary: listSummaries.mode },
  'min-parts': { type: 'number', value: 'N', summary: 'Minimum number of parts.' },
  'max-parts': { type: 'number', value: 'N', summary: 'Maximum number of parts.' },
} as const

/** Conditions that rules do not have (decision 72). */
export const unavailableConditions = {
  network:
    'The network of a number is not known when a message is accepted: its first digits do not identify it where numbers are ported. Use --to or --country.',
} as const

/** Reads the conditions of a rule from its options. Throws a `UsageError` for a value that cannot be one. */
export function readConditions(options: OptionValues<typeof conditionOptions>): RuleConditions {
  const { 'min-parts': minParts, 'max-parts': maxParts, ...lists } = options
  const given = Object.entries(lists).filter(([, text]) => text !== undefined)
  const empty = given.find(([, text]) => text === '')
  if (empty !== undefined) throw new UsageError(`--${empty[0]} is empty.`)
  try {
    return readTexts({
      ...Object.fromEntries(given),
      ...(minParts !== undefined && { minParts }),
      ...(maxParts !== undefined && { maxParts }),
    })
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error
    const { condition, message } = error
    throw new UsageError(
      condition === 'parts' ? '--min-parts and --max-parts are from 1 to 10.' : `--${condition} ${message}`,
    )
  }
}
