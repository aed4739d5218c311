import { resolve } from 'node:path'
import type { Setting } from './settings/setting.ts'
import { settings } from './settings/settings.ts'

type Settings = typeof settings
/** Every setting by its name in the code. */
export type Config = {
  readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never
}

/** A setting, the secret or the data folder cannot be used as it is: the message names it and says what would be right. To try again helps nothing. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads all settings from `env`. Throws a `ConfigError` that names every bad one at once. Unknown names that begin with
 * ONESIXTY_ are refused, because a typo must not silently leave a default in force.
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
  const given = Object.fromEntries(entries) as unknown as Config
  // Named whole in every message: from another place a relative one would be another folder.
  const config = { ...given, dataFolder: resolve(given.dataFolder) }
  faults.push(...conflicts(config))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

/** What `onesixty send --env-file` reads: it may stand in the same file as the settings. */
const keyForSending = 'ONESIXTY_API_KEY'

/** Settings that are fine alone and not together. */
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
  const tooShort = `${recordRetentionDays.env} must be more than ${stillOpenDays}: records are needed while receipts may still come (${receiptWindowHours.env}, ${correctionDays.env}).`
  return [
    ...(config.recordRetentionDays > stillOpenDays ? [] : [tooShort]),
    ...(config.idempotencyDays <= config.recordRetentionDays
      ? []
      : [
          `${settings.idempotencyDays.env} must not be more than ${recordRetentionDays.env}: an answer that is given again needs its records.`,
        ]),
    ...((config.tlsCert === null) === (config.tlsKey === null)
      ? []
      : [`${tlsCert.env} and ${tlsKey.env} go together.`]),
    ...(config.exportsPerAccount < Math.max(2, config.exportsAtOnce)
      ? []
      : [
          `${exportsPerAccount.env} (${config.exportsPerAccount}) must be less than ${exportsAtOnce.env} (${config.exportsAtOnce}), or 1: one account would have all exports.`,
        ]),
  ]
}
