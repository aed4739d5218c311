import { accountPlanPattern, categories, modes } from '../../storage/tables/column-values.ts'
import type { RuleConditions } from '../../storage/tables/route-tables.ts'

/*
 * Conditions of rules as commands and pages write them: lists, of which a message must have one: `to` is `49,33`.
 */

const forms = {
  to: /^[0-9]{1,15}$/,
  country: /^[A-Z]{2}$/,
  from: /^.{1,16}$/,
  category: new RegExp(`^(?:${categories.join('|')})$`),
  encoding: /^(?:gsm7|ucs2)$/,
  account: /^acc_[0-9a-z_]+$/,
  plan: new RegExp(accountPlanPattern),
  mode: new RegExp(`^(?:${modes.join('|')})$`),
} as const

export type ConditionList = keyof typeof forms

const conditionLists = Object.keys(forms) as readonly ConditionList[]

/** What each list takes. */
export const listSummaries: Readonly<Record<ConditionList, string>> = {
  to: 'First digits of the number, without +: 49 or 33,1.',
  country: 'Countries of the number, such as DE,FR.',
  from: 'Requested senders; none for messages without one.',
  category: `Categories: ${categories.join(', ')}.`,
  encoding: 'Encodings: gsm7, ucs2.',
  account: 'Accounts, in a rule of the operator.',
  plan: 'Plans of the accounts that send; none for accounts without one.',
  mode: 'Modes: live, test. Default: live.',
}

/** Conditions as they are written. */
export interface ConditionTexts extends Partial<Record<ConditionList, string>> {
  minParts?: number
  maxParts?: number
}

/** A condition that cannot be one. The message says what is wrong, and what to write instead. */
export class ConditionFault extends Error {
  override name = 'ConditionFault'
  readonly condition: ConditionList | 'parts'

  constructor(condition: ConditionList | 'parts', message: string) {
    super(message)
    this.condition = condition
  }
}

/** Lists in which `none` stands for what has none. */
const noneIsEmpty: ReadonlySet<ConditionList> = new Set(['from', 'plan'])

const maxValues = 100

/** Reads the conditions of a rule; an empty list is none. Throws a `ConditionFault`. */
export function readConditions(texts: ConditionTexts): RuleConditions {
  const read: Record<string, readonly string[] | number> = {}
  for (const name of conditionLists) {
    const text = texts[name]?.trim() ?? ''
    if (text === '') continue
    const values = text.split(',').map((value) => value.trim())
    const wrong = values.find((value) => !forms[name].test(value))
    if (wrong !== undefined) throw new ConditionFault(name, `${listSummaries[name]} It was '${wrong}'.`)
    if (values.length > maxValues) throw new ConditionFault(name, `At most ${maxValues} values.`)
    read[name] = noneIsEmpty.has(name) ? values.map((value) => (value === 'none' ? '' : value)) : values
  }
  for (const name of ['minParts', 'maxParts'] as const) {
    const parts = texts[name]
    if (parts === undefined) continue
    if (!Number.isInteger(parts) || parts < 1 || parts > 10)
      throw new ConditionFault('parts', 'The numbers of parts are from 1 to 10.')
    read[name] = parts
  }
  if ((texts.minParts ?? 1) > (texts.maxParts ?? 10))
    throw new ConditionFault(
      'parts',
      'The smallest number of parts is above the largest: no message has that many.',
    )
  return read
}

/** Writes conditions as they are read. */
export function writeConditions({ minParts, maxParts, ...lists }: RuleConditions): ConditionTexts {
  const texts = Object.entries(lists as Record<string, readonly string[]>).map(([name, values]) => [
    name,
    values.map((value) => (value === '' ? 'none' : value)).join(','),
  ])
  return {
    ...(Object.fromEntries(texts) as Partial<Record<ConditionList, string>>),
    ...(minParts !== undefined && { minParts }),
    ...(maxParts !== undefined && { maxParts }),
  }
}

/** Writes conditions on one line. */
export function describeConditions(conditions: RuleConditions): string {
  const { minParts, maxParts, ...lists } = writeConditions(conditions)
  const words = Object.entries(lists).map(([name, values]) => `${name}=${values}`)
  if (minParts !== undefined) words.push(`parts>=${minParts}`)
  if (maxParts !== undefined) words.push(`parts<=${maxParts}`)
  return words.length === 0 ? 'all' : words.join(' ')
}
