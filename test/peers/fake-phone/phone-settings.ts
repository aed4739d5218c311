/** What the app keeps of the settings that a server pushes and that change what it does. */
export interface PhoneSettings {
  sendIntervalS: readonly [least: number, most: number]
  limitPeriod: 'Disabled' | 'PerMinute' | 'Per30Minutes' | 'PerHour' | 'PerDay'
  limitValue: number | null
  processingOrder: 'LIFO' | 'FIFO'
  notificationChannel: 'AUTO' | 'SSE_ONLY' | null
  privateToken: string | null
  pingEveryS: number | null
  signingKey: string
  webhookRetries: number
  needsInternet: boolean
  /** Null: its messages are kept for ever. */
  logLifetimeDays: number | null
}

export const freshSettings = (signingKey: string): PhoneSettings => ({
  sendIntervalS: [0, 0],
  limitPeriod: 'Disabled',
  limitValue: null,
  processingOrder: 'LIFO',
  notificationChannel: null,
  privateToken: null,
  pingEveryS: null,
  signingKey,
  webhookRetries: 15,
  needsInternet: true,
  logLifetimeDays: null,
})

type Section = Record<string, unknown>
type Import = (settings: PhoneSettings, section: Section, fresh: PhoneSettings) => PhoneSettings

/**
 * Takes in what `GET /settings` gave: section by section, unknown ones passed over. Throws on what makes the app try the
 * whole again for ever: no object, a known section that is none, a name outside of an enum, a number out of range.
 */
export function importSettings(
  settings: PhoneSettings,
  pushed: unknown,
  fresh: PhoneSettings,
): PhoneSettings {
  if (!isObject(pushed)) throw new TypeError('Expected BEGIN_OBJECT at $')
  let result = settings
  for (const [name, take] of Object.entries(sections)) {
    const section = pushed[name]
    if (section === undefined) continue
    if (!isObject(section)) throw new TypeError(`Not a JSON Object: ${name}`)
    result = take(result, section, fresh)
  }
  return result
}

const sections: Record<string, Import> = {
  gateway: (settings, section, fresh) => ({
    ...settings,
    notificationChannel: oneOf(section, 'notification_channel', ['AUTO', 'SSE_ONLY'], settings.notificationChannel, fresh.notificationChannel), // prettier-ignore
    privateToken: textOf(section, 'private_token', settings.privateToken, fresh.privateToken),
  }),
  messages: (settings, section, fresh) => ({
    ...settings,
    sendIntervalS: [
      numberOf(section, 'send_interval_min', 0, settings.sendIntervalS[0], 0),
      numberOf(section, 'send_interval_max', 0, settings.sendIntervalS[1], 0),
    ],
    limitPeriod: oneOf(section, 'limit_period', ['Disabled', 'PerMinute', 'Per30Minutes', 'PerHour', 'PerDay'], settings.limitPeriod, fresh.limitPeriod), // prettier-ignore
    limitValue: numberOf(section, 'limit_value', 0, settings.limitValue, fresh.limitValue),
    logLifetimeDays: numberOf(section, 'log_lifetime_days', 1, settings.logLifetimeDays, fresh.logLifetimeDays), // prettier-ignore
    processingOrder: oneOf(section, 'processing_order', ['LIFO', 'FIFO'], settings.processingOrder, fresh.processingOrder), // prettier-ignore
  }),
  ping: (settings, section) => ({
    ...settings,
    pingEveryS: numberOf(section, 'interval_seconds', 1, settings.pingEveryS, null),
  }),
  webhooks: (settings, section, fresh) => ({
    ...settings,
    signingKey: textOf(section, 'signing_key', settings.signingKey, fresh.signingKey),
    webhookRetries: numberOf(section, 'retry_count', 1, settings.webhookRetries, fresh.webhookRetries),
    needsInternet: (section['internet_required'] ?? settings.needsInternet) === true,
  }),
}

const isObject = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An absent key leaves what is; null sets it back. */
function valueOf<T>(
  section: Section,
  key: string,
  now: T,
  fresh: T,
  read: (value: unknown) => T | undefined,
): T {
  const value = section[key]
  if (value === undefined) return now
  if (value === null) return fresh
  const taken = read(value)
  if (taken === undefined) throw new TypeError(`IllegalArgumentException: ${key}=${JSON.stringify(value)}`)
  return taken
}

const oneOf = <T extends string | null>(section: Section, key: string, names: T[], now: T, fresh: T): T =>
  valueOf(section, key, now, fresh, (value) => names.find((name) => name === value))

const textOf = <T extends string | null>(section: Section, key: string, now: T, fresh: T): T =>
  valueOf(section, key, now, fresh, (value) => (typeof value === 'string' ? (value as T) : undefined))

const numberOf = <T extends number | null>(
  section: Section,
  key: string,
  least: number,
  now: T,
  fresh: T,
): T =>
  valueOf(section, key, now, fresh, (value) =>
    Number.isInteger(value) && (value as number) >= least ? (value as T) : undefined,
  )
