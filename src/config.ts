import { resolve } from 'node:path'
import type { Setting } from './settings/setting.ts'
import { settings } from './settings/settings.ts'

type Settings = typeof settings
/** All settings, by their names in the code. */
export type Config = {
  readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never
}

/**
 * Thrown when a setting, the secret or the data folder is unusable. The message names it and states what is
 * required. A retry does not help.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads all settings from `env`. Throws one `ConfigError` that names every invalid setting. Unknown names
 * that begin with ONESIXTY_ are rejected: a typo must not silently leave a default in force.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const entries = Object.entries(settings).map(([name, row]) => {
    const text = env[row.env]
    if (text === undefined || text === '') return [name, row.default] as const
    try {
      return [name, row.read(text)] as const
    } catch (error) {
      faults.push(`${row.env} ${(error as Error).message}${'secret' in row ? '' : `; it is '${text}'`}.`)
      return [name, row.default] as const
    }
  })
  const known = new Set<string>([...Object.values(settings).map((row) => row.env), keyForSending])
  for (const name of Object.keys(env)) {
    if (name.startsWith('ONESIXTY_') && !name.startsWith('ONESIXTY_TEST_') && !known.has(name))
      faults.push(`${name} is not a setting of onesixty.`)
  }
  const values = Object.fromEntries(entries) as unknown as Config
  // An absolute path in every message: a relative one means another folder elsewhere.
  const config = { ...values, dataFolder: resolve(values.dataFolder) }
  faults.push(...conflicts(config))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

/** Read by `onesixty send --env-file`. Allowed in the same file as the settings. */
const keyForSending = 'ONESIXTY_API_KEY'

/** Returns the faults of settings that are valid one by one, but not in combination. */
function conflicts(config: Config): string[] {
  const {
    recordRetentionDays,
    receiptWindowHours,
    correctionDays,
    tlsCert,
    tlsKey,
    exportsPerAccount,
    exportsAtOnce,
  } = settings
  const stillOpenDays = config.receiptWindowHours / 24 + config.correctionDays
  const tooShort = `${recordRetentionDays.env} must be more than ${stillOpenDays}: records are needed while receipts can still arrive (${receiptWindowHours.env}, ${correctionDays.env}).`
  return [
    ...(config.recordRetentionDays > stillOpenDays ? [] : [tooShort]),
    ...(config.idempotencyDays <= config.recordRetentionDays
      ? []
      : [
          `${settings.idempotencyDays.env} must not be more than ${recordRetentionDays.env}: a repeated response needs its records.`,
        ]),
    ...((config.tlsCert === null) === (config.tlsKey === null)
      ? []
      : [`${tlsCert.env} and ${tlsKey.env} must be set together.`]),
    ...(config.exportsPerAccount < Math.max(2, config.exportsAtOnce)
      ? []
      : [
          `${exportsPerAccount.env} (${config.exportsPerAccount}) must be less than ${exportsAtOnce.env} (${config.exportsAtOnce}), or 1: otherwise one account could use all exports.`,
        ]),
  ]
}
