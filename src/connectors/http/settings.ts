import { isAbsolute } from 'node:path'
import {
  type AcceptedSettings,
  countrySetting,
  oneOf,
  type SettingRule,
  wholeNumber,
} from '../setting-rules.ts'
import { addressSettingsOf } from './declaration/declaration-faults.ts'
import type { Declaration } from './declaration/declaration.ts'
import { readHttpUrl } from './declaration/hosts.ts'
import { readDeclaration } from './declaration/read-declaration.ts'
import { ownDeclaration, ownProviders } from './own-providers.ts'

/** Settings of every device of the kind; its declaration names more. */
export const httpSettings: readonly SettingRule[] = [
  {
    name: 'provider',
    default: '',
    summary: 'Name of a provider that comes with the program. Empty: the setting declaration describes it.',
    check: (value) =>
      value === '' || ownProviders().includes(value)
        ? null
        : `needs one of ${ownProviders().join(', ')}, or nothing with a declaration of your own`,
  },
  {
    name: 'declaration',
    default: '',
    summary: 'A declaration of your own in JSON, at most 64 KiB. Check it with provider check before.',
    check: (value) => (value === '' ? null : declarationFault(value)),
  },
  wholeNumber('window', 10, [1, 1_000], 'Maximum requests at the same time. Providers answer in 100 to 300 ms, so 10 send some 50 messages a second.'),
  decimal('max_per_second', 'Maximum messages per second, fractions included. Empty: as the declaration says, or no limit.', [0.001, 100_000]),
  wholeNumber('timeout_ms', 30_000, [1_000, 300_000], 'Milliseconds from the connection to the whole answer. Less than the provider itself allows makes outcomes unknown.'),
  wholeNumber('resolve_s', 90, [0, 3_600], 'Seconds for which a submission of unknown outcome is looked up at the provider, or repeated where that is safe, before it is reported.'),
  oneOf('status', ['auto', 'callback', 'poll', 'both', 'none'], 'How receipts arrive: callbacks of the provider, look-ups, both or none. auto: callbacks if this server has a public address, otherwise look-ups.'),
  decimal('balance_alert', 'Amount in the currency of the provider; at or below it the device is degraded. Empty: none.', [0, 1_000_000_000]),
  countrySetting,
  wholeNumber('hook', 0, [0, 1_000_000], 'Generation of the addresses that the provider calls. device set --new-hook begins the next one, and the former addresses stop working.'),
  oneOf('trace', ['off', 'on'], 'Logs method, path, status, IDs and codes of each request, without texts, secrets or whole numbers.'),
  {
    name: 'tls_ca_file',
    default: '',
    summary: 'Absolute path of a file with certificates in PEM that are trusted in addition to the usual ones.',
    check: (value) =>
      value === '' || (isAbsolute(value) && value.length <= 1_024 && !/[\0\n\r]/.test(value))
        ? null
        : 'needs the absolute path of a file, or nothing',
  },
] // prettier-ignore

/** The settings of a device, as its link reads them. */
export interface HttpSettings {
  window: number
  maxPerSecond: number | null
  timeoutMs: number
  resolveMs: number
  status: 'auto' | 'callback' | 'poll' | 'both' | 'none'
  balanceAlert: number | null
  trace: boolean
  caFile: string | null
}

/** Parses settings that were checked by `httpSettings`; missing ones get their default. */
export function readSettings(
  given: Readonly<Record<string, string>>,
  declaration: Declaration,
): HttpSettings {
  const textOf = (name: string): string =>
    given[name] ?? httpSettings.find((rule) => rule.name === name)?.default ?? ''
  const numberOf = (name: string): number | null => (textOf(name) === '' ? null : Number(textOf(name)))
  return {
    window: Number(textOf('window')),
    maxPerSecond: numberOf('max_per_second') ?? declaration.max_per_second ?? null,
    timeoutMs: Number(textOf('timeout_ms')),
    resolveMs: Number(textOf('resolve_s')) * 1_000,
    status: textOf('status') as HttpSettings['status'],
    balanceAlert: numberOf('balance_alert'),
    trace: textOf('trace') === 'on',
    caFile: textOf('tls_ca_file') || null,
  }
}

/** Returns the declaration that the settings of a device name or contain; null when there is none that is valid. */
export function declarationOf(settings: Readonly<Record<string, string>>): Declaration | null {
  const { provider = '', declaration = '' } = settings
  if (provider !== '') return ownDeclaration(provider)
  const read = declaration === '' ? null : readDeclaration(declaration)
  return read !== null && 'declaration' in read ? read.declaration : null
}

/**
 * Returns the rules for a device with these settings: those of the kind, and those that its declaration names. Of a provider that
 * comes with the program the owner of an account can change what is no address.
 */
export function rulesFor(settings: Readonly<Record<string, string>>): AcceptedSettings {
  const declaration = declarationOf(settings)
  if (declaration === null) {
    const rules = httpSettings.map((rule) =>
      rule.name === 'provider' ? { ...rule, required: true as const } : rule,
    )
    return { settings: rules, secretNames: [], requiredSecrets: [] }
  }
  const { secrets = {} } = declaration
  const declared = declaredRules(declaration)
  const addresses = addressSettingsOf(declaration)
  const ownerSettings = declared.flatMap(({ name }) => (addresses.has(name) ? [] : [name]))
  return {
    settings: [...httpSettings, ...declared],
    ...((settings['provider'] ?? '') !== '' && { ownerSettings }),
    secretNames: Object.keys(secrets),
    requiredSecrets: Object.keys(secrets).filter((name) => secrets[name]?.required === true),
  }
}

const longestValue = 500

function declaredRules(declaration: Declaration): SettingRule[] {
  const addresses = addressSettingsOf(declaration)
  return Object.entries(declaration.settings ?? {}).map(
    ([name, { says, required, default: byDefault = '', choices }]) => ({
      name,
      summary: says,
      default: byDefault,
      ...(required === true && byDefault === '' && { required: true as const }),
      ...(choices !== undefined && { choices }),
      check(value) {
        if (value === '') return required === true && byDefault === '' ? 'needs a value' : null
        if (value.length > longestValue || /\p{Cc}/u.test(value))
          return `needs at most ${longestValue} visible characters`
        if (choices !== undefined && !choices.includes(value)) return `needs one of ${choices.join(', ')}`
        return addresses.has(name) ? addressFault(value) : null
      },
    }),
  )
}

/** Its host is compared with those of the declaration where a request is built: there the operator's are known, too. */
const addressFault = (value: string): string | null =>
  readHttpUrl(value) === null
    ? 'needs a URL of HTTP without a password, such as https://api.example.com'
    : null

function declarationFault(value: string): string | null {
  const read = readDeclaration(value)
  if ('declaration' in read) return null
  const [first] = read.faults
  const place = (first?.pointer ?? '') === '' ? '' : ` at ${first?.pointer}`
  return `needs a valid declaration${place}: ${first?.detail ?? ''}`
}

function decimal(name: string, summary: string, [least, most]: readonly [number, number]): SettingRule {
  return {
    name,
    default: '',
    summary,
    check: (value) =>
      value === '' ||
      (/^(?:0|[1-9]\d{0,9})(?:\.\d{1,6})?$/.test(value) && Number(value) >= least && Number(value) <= most)
        ? null
        : `needs a number from ${least} to ${most}, or nothing`,
  }
}
