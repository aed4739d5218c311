/** The closed lists of values of columns; the CHECKs in migrations/ repeat them. */

export const modes = ['live', 'test'] as const
export type Mode = (typeof modes)[number]
export const directions = ['outbound', 'inbound'] as const
export type Direction = (typeof directions)[number]
export const categories = ['transactional', 'authentication', 'marketing'] as const
export type Category = (typeof categories)[number]
export type Encoding = 'gsm7' | 'ucs2'
export type OnUnknown = 'stop' | 'resend_once'
/** What pays for a message: the wallet, or nothing because only own devices may carry it. */
export const payers = ['balance', 'own_device'] as const
export type Payer = (typeof payers)[number]
/** What may carry a message whose own devices are free, when they do not: then the balance pays. */
export const fallbacks = ['shared'] as const
export type Fallback = (typeof fallbacks)[number]
/** What messages over an account's own devices cost. */
export const ownDevicePrices = ['charged', 'free'] as const
export type OwnDevicePrice = (typeof ownDevicePrices)[number]
export type CostState = 'held' | 'charged' | 'partial' | 'released' | 'none'
export const messageStatuses = [
  'scheduled', 'queued', 'sending', 'sent', 'delivered', 'undelivered', 'failed', 'expired', 'canceled', 'unconfirmed', 'received',
] as const // prettier-ignore
export type MessageStatus = (typeof messageStatuses)[number]
export type AttemptState = 'handing_over' | 'accepted' | 'refused' | 'unknown'
/** Why a message waits for a time before it can be queued. */
export type DeferReason = 'scheduled' | 'quiet_hours'
export type AccountState = 'active' | 'suspended' | 'closed'
export type DeviceState = 'pending' | 'enabled' | 'disabled' | 'retired'
export type DeviceStatus = 'pending' | 'online' | 'degraded' | 'offline'
export type LedgerKind = 'grant' | 'top_up' | 'correction' | 'refill'
/** A boolean in both databases. */
export type Flag = 0 | 1
/** Progress of a message, as reported by a phone. */
export type PhoneWord = 'pending' | 'processed' | 'sent' | 'delivered' | 'failed' | 'canceled'
/** Meaning of an account's keyword; `off` disables a built-in keyword. */
export type KeywordMeaning = 'stop' | 'start' | 'help' | 'off'
/** Origin of an opt-out: the recipient's own message, a user in the console, or a command. */
export type OptOutOrigin = 'message' | 'console' | 'command'

/** A plan of an account, as a pattern of schemas. */
export const accountPlanPattern = '^[a-z0-9][a-z0-9_-]{0,31}$'
