import type { Fault } from '../../runtime/errors.ts'

/** What a kind of device accepts, from its connector. */
export interface DeviceRules {
  settings: readonly { name: string; required?: true; check(value: string): string | null }[]
  secretNames: readonly string[]
  /** Those of `secretNames` that a device must have. */
  requiredSecrets?: readonly string[]
  /** It sends only under its own numbers. */
  ownNumbersOnly?: true
  /** What one device with these settings accepts, where that differs from device to device. */
  rulesFor?(settings: Readonly<Record<string, string>>): Omit<DeviceRules, 'rulesFor'>
}

/** Returns what a device with these settings accepts. */
export const rulesOf = (rules: DeviceRules, settings: Readonly<Record<string, string>>): DeviceRules => ({
  ...rules,
  ...rules.rulesFor?.(settings),
})

export interface GivenToDevice {
  senders: readonly string[]
  /** Null restores the default. */
  settings: Readonly<Record<string, string | null>>
  secrets: Readonly<Record<string, string>>
  pace: { partsPerWindow: number; windowSeconds: number } | null
}

const maxSenders = 1_000

/** Returns what a new device lacks: settings and secrets without a default. */
export function missingFaults(
  { settings, requiredSecrets = [] }: DeviceRules,
  given: Pick<GivenToDevice, 'settings' | 'secrets'>,
): Fault[] {
  const missing = settings.flatMap(({ name, required }) =>
    required && (given.settings[name] ?? null) === null ? [missingSetting(name)] : [],
  )
  const missingSecrets = requiredSecrets
    .filter((name) => given.secrets[name] === undefined)
    .map((name): Fault => {
      const detail = `This kind of device needs the secret ${name}.`
      return { pointer: `/secrets/${name}`, code: 'required', detail }
    })
  return [...missing, ...missingSecrets]
}

const missingSetting = (name: string): Fault => ({
  pointer: `/settings/${name}`,
  code: 'required',
  detail: `This kind of device needs the setting ${name}; it has no default.`,
})

/** Returns everything that is wrong with the given values. */
export function deviceFaults(rules: DeviceRules, given: GivenToDevice): Fault[] {
  return [
    ...settingFaults(rules, given.settings),
    ...secretFaults(rules, given.secrets),
    ...senderFaults(rules, given.senders),
    ...paceFaults(given.pace),
  ]
}

function settingFaults(rules: DeviceRules, settings: GivenToDevice['settings']): Fault[] {
  return Object.entries(settings).flatMap(([name, value]): Fault[] => {
    const pointer = `/settings/${name}`
    const rule = rules.settings.find((known) => known.name === name)
    if (rule === undefined)
      return [
        unknown(
          pointer,
          'setting',
          name,
          rules.settings.map((known) => known.name),
        ),
      ]
    if (value === null) return rule.required ? [missingSetting(name)] : []
    const wrong = rule.check(value)
    return wrong === null
      ? []
      : [{ pointer, code: 'invalid_format', detail: `The setting ${name} ${wrong}; it was '${value}'.` }]
  })
}

/** Never shows the secret. */
function secretFaults(rules: DeviceRules, secrets: GivenToDevice['secrets']): Fault[] {
  return Object.entries(secrets).flatMap(([name, value]): Fault[] => {
    const pointer = `/secrets/${name}`
    if (!rules.secretNames.includes(name)) return [unknown(pointer, 'secret', name, rules.secretNames)]
    return value === '' ? [{ pointer, code: 'blank', detail: `The secret ${name} is empty.` }] : []
  })
}

const unknown = (pointer: string, what: string, name: string, known: readonly string[]): Fault => ({
  pointer,
  code: 'unknown_field',
  detail: `This kind of device has no ${what} '${name}'; it has ${known.length === 0 ? 'none' : known.join(', ')}.`,
})

/** An own number in E.164, a short code, 1 to 11 printable ASCII characters with at least one letter, or `*`: any. */
const senderForm = /^(?:\*|\+[1-9][0-9]{6,14}|[0-9]{3,8}|(?=.*[A-Za-z])[\x20-\x7e]{1,11})$/
const ownNumber = /^\+[1-9][0-9]{6,14}$/

function senderFaults({ ownNumbersOnly }: DeviceRules, senders: readonly string[]): Fault[] {
  const faults = senders.flatMap((sender): Fault[] => {
    if (ownNumbersOnly && !ownNumber.test(sender)) {
      const detail = `'${sender}' cannot be a sender of this kind of device: it sends only under its own numbers, in E.164.`
      return [{ pointer: '/senders', code: 'invalid_format', detail }]
    }
    if (senderForm.test(sender) && sender.trim() === sender) return []
    const detail = `'${sender}' is not a valid sender: use a number in E.164, a short code of 3 to 8 digits, 1 to 11 letters and digits with a letter, or * for any.`
    return [{ pointer: '/senders', code: 'invalid_format', detail }]
  })
  if (senders.length > maxSenders) {
    faults.push({
      pointer: '/senders',
      code: 'too_many_items',
      detail: `A device can have at most ${maxSenders} senders.`,
    })
  }
  if (new Set(senders).size < senders.length) {
    faults.push({
      pointer: '/senders',
      code: 'out_of_range',
      detail: 'A sender is listed twice. Remove one.',
    })
  }
  return faults
}

function paceFaults(pace: GivenToDevice['pace']): Fault[] {
  if (pace === null) return []
  const isWhole = (value: number, most: number): boolean =>
    Number.isInteger(value) && value >= 1 && value <= most
  return isWhole(pace.partsPerWindow, 1_000_000) && isWhole(pace.windowSeconds, 86_400 * 31)
    ? []
    : [
        {
          pointer: '/pace',
          code: 'out_of_range',
          detail: 'The rate limit must be 1 to 1000000 parts in 1 to 2678400 seconds.',
        },
      ]
}
