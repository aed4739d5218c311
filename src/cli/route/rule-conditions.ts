import type { RuleConditions } from '../../storage/tables/route-tables.ts'
import { categories, modes } from '../../storage/tables/column-values.ts'
import { UsageError } from '../core/command-errors.ts'
import type { OptionValues } from '../core/command.ts'

/** What a rule matches, as options: each is a list, of which a message must have one. */
export const conditionOptions = {
  to: { type: 'text', value: 'PREFIXES', summary: 'First digits of the number, without +: 49 or 33,1.' },
  country: { type: 'text', value: 'COUNTRIES', summary: 'Countries of the number, such as DE,FR.' },
  from: { type: 'text', value: 'SENDERS', summary: 'Requested senders; none for messages without one.' },
  category: { type: 'text', value: 'CATEGORIES', summary: `Categories: ${categories.join(', ')}.` },
  encoding: { type: 'text', value: 'ENCODINGS', summary: 'Encodings: gsm7, ucs2.' },
  account: { type: 'text', value: 'ACCOUNTS', summary: 'Accounts, in a rule of the operator.' },
  mode: { type: 'text', value: 'MODES', summary: 'Modes: live, test. Default: live.' },
  'min-parts': { type: 'number', value: 'N', summary: 'Minimum number of parts.' },
  'max-parts': { type: 'number', value: 'N', summary: 'Maximum number of parts.' },
} as const

const forms = {
  to: /^[0-9]{1,15}$/,
  country: /^[A-Z]{2}$/,
  from: /^.{1,16}$/,
  category: new RegExp(`^(?:${categories.join('|')})$`),
  encoding: /^(?:gsm7|ucs2)$/,
  account: /^acc_[0-9a-z_]+$/,
  mode: new RegExp(`^(?:${modes.join('|')})$`),
} as const

const maxValues = 100

/** Reads the conditions of a rule from its options. Throws a `UsageError` for a value that cannot be one. */
export function readConditions(options: OptionValues<typeof conditionOptions>): RuleConditions {
  const read: Record<string, readonly string[] | number> = {}
  for (const [name, form] of Object.entries(forms)) {
    const text = options[name as keyof typeof forms]
    if (text === undefined) continue
    const values = text.split(',').map((value) => value.trim())
    const wrong = values.find((value) => !form.test(value))
    if (wrong !== undefined)
      throw new UsageError(
        `--${name} ${conditionOptions[name as keyof typeof forms].summary} It was '${wrong}'.`,
      )
    if (values.length > maxValues) throw new UsageError(`--${name} takes at most ${maxValues} values.`)
    read[name] = name === 'from' ? values.map((value) => (value === 'none' ? '' : value)) : values
  }
  const [minParts, maxParts] = [options['min-parts'], options['max-parts']]
  for (const [name, parts] of [
    ['minParts', minParts],
    ['maxParts', maxParts],
  ] as const) {
    if (parts === undefined) continue
    if (parts < 1 || parts > 10) throw new UsageError('--min-parts and --max-parts are from 1 to 10.')
    read[name] = parts
  }
  return read
}

/** Writes conditions on one line. */
export function describeConditions(conditions: RuleConditions): string {
  const { minParts, maxParts, ...lists } = conditions
  const words = Object.entries(lists as Record<string, readonly string[]>).map(
    ([name, values]) => `${name}=${values.map((value) => (value === '' ? 'none' : value)).join(',')}`,
  )
  if (minParts !== undefined) words.push(`parts>=${minParts}`)
  if (maxParts !== undefined) words.push(`parts<=${maxParts}`)
  return words.length === 0 ? 'all' : words.join(' ')
}
