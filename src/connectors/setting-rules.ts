import { isCountry } from '../numbers/numbering-plan.ts'

/** A setting of a kind, for `device add --set`, the docs and the console. */
export interface SettingRule {
  name: string
  /** Shown to people: what it does, its unit and its default. */
  summary: string
  default: string
  /** There is no default: a device must have it. */
  required?: true
  /** All values that it may have, if they are a few words. */
  choices?: readonly string[]
  /** Returns null when `value` is valid, otherwise what is wrong with it. */
  check(value: string): string | null
}

/** The settings and secrets that a device accepts. */
export interface AcceptedSettings {
  settings: readonly SettingRule[]
  secretNames: readonly string[]
  /** Those of `secretNames` that it must have. */
  requiredSecrets?: readonly string[]
  /** Settings that the owner of an account can change, in addition to those of its kind. */
  ownerSettings?: readonly string[]
}

/** The setting of every kind that may receive national numbers. The service itself reads it. */
export const countrySetting: SettingRule = {
  name: 'country',
  default: '',
  summary:
    'Country (two letters, such as DE) of senders whose numbers the network delivers in national format, without a country code. Empty: such numbers are kept as received, and a STOP from them cannot be applied.',
  check: (value) =>
    value === '' || isCountry(value) ? null : 'needs the code of a country such as DE, or nothing',
}

/** A setting with a few values, the first of which is its default. */
export function oneOf(name: string, values: readonly [string, ...string[]], summary: string): SettingRule {
  const wrong = `needs one of ${values.join(', ')}`
  return {
    name,
    default: values[0],
    summary,
    choices: values,
    check: (value) => (values.includes(value) ? null : wrong),
  }
}

/** A whole number from the first of `range` to the second, of at most nine digits. */
export function wholeNumber(
  name: string,
  byDefault: number,
  [least, most]: readonly [number, number],
  summary: string,
): SettingRule {
  const wrong = `needs a whole number from ${least} to ${most}`
  const isFine = (value: string): boolean =>
    /^(0|[1-9]\d{0,8})$/.test(value) && Number(value) >= least && Number(value) <= most
  return { name, default: String(byDefault), summary, check: (value) => (isFine(value) ? null : wrong) }
}
