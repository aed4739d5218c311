import { isCountry } from '../numbers/numbering-plan.ts'

/** One setting of a kind, for `device add --set`, the docs and the console. */
export interface SettingRule {
  name: string
  /** Shown to people: what it does, its unit and its default. */
  says: string
  default: string
  /** There is no default: a device without it is refused. */
  required?: true
  /** All values that it may have, where they are a few words. */
  choices?: readonly string[]
  /** Null when `value` is fine, else what is wrong with it. */
  check(value: string): string | null
}

/** The setting of every kind that may receive national numbers. It is the service that reads it. */
export const countrySetting: SettingRule = {
  name: 'country',
  default: '',
  says: 'The country (two letters, such as DE) whose national numbers those who write may have, where the network gives them without their calling code. Empty: such a number stays as it came, and its STOP can be followed by nobody.',
  check: (value) =>
    value === '' || isCountry(value) ? null : 'needs the code of a country such as DE, or nothing',
}

/** A setting of a few words, the first of which is its default. */
export function oneOf(name: string, values: readonly [string, ...string[]], says: string): SettingRule {
  const wrong = `needs one of ${values.join(', ')}`
  return {
    name,
    default: values[0],
    says,
    choices: values,
    check: (value) => (values.includes(value) ? null : wrong),
  }
}

/** A whole number from the first of `range` to the second, of at most nine digits. */
export function wholeNumber(
  name: string,
  byDefault: number,
  [least, most]: readonly [number, number],
  says: string,
): SettingRule {
  const wrong = `needs a whole number from ${least} to ${most}`
  const isFine = (value: string): boolean =>
    /^(0|[1-9]\d{0,8})$/.test(value) && Number(value) >= least && Number(value) <= most
  return { name, default: String(byDefault), says, check: (value) => (isFine(value) ? null : wrong) }
}
