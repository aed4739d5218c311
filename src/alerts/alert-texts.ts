import type { AlertKind } from '../storage/tables/operator-tables.ts'

/** Texts of an alert kind. */
export interface AlertTexts {
  /** Label in the profile. */
  label: string
  /** Subjects of the two mails; `ended` is null when no mail is sent at the end. */
  began: (name: string) => string
  ended: ((name: string) => string) | null
  /** Page of the console, below the account or the operator. */
  page: string
  /** True when operators are notified in addition to the owners of the account. */
  notifiesOperators: boolean
}

/** All alert kinds, in the order of the profile. */
export const alertTexts: Readonly<Record<AlertKind, AlertTexts>> = {
  device_offline: {
    label: 'Device offline',
    began: (name) => `${name} is offline`,
    ended: (name) => `${name} is connected again`,
    page: '/devices',
    notifiesOperators: false,
  },
  balance_low: {
    label: 'Low balance',
    began: (name) => `The balance of ${name} is low`,
    ended: (name) => `The balance of ${name} is above its threshold again`,
    page: '/balance',
    notifiesOperators: false,
  },
  balance_exhausted: {
    label: 'Balance used up',
    began: (name) => `The balance of ${name} is used up`,
    ended: (name) => `${name} can send again`,
    page: '/balance',
    notifiesOperators: false,
  },
  webhook_disabled: {
    label: 'Webhook endpoint disabled',
    began: (name) => `Webhook endpoint ${name} was disabled`,
    ended: (name) => `Webhook endpoint ${name} is active again`,
    page: '/webhooks',
    notifiesOperators: false,
  },
  unusual_failures: {
    label: 'Unusually high failure rate',
    began: (name) => `Failure rate of ${name} is unusually high`,
    ended: (name) => `Failure rate of ${name} is back to normal`,
    page: '/history',
    notifiesOperators: false,
  },
  pumping_paused: {
    label: 'Account paused by the SMS pumping guard',
    began: (name) => `${name} was paused: its messages looked like SMS pumping`,
    ended: (name) => `${name} has resumed`,
    page: '/history',
    notifiesOperators: true,
  },
  key_expiring: {
    label: 'API key expires soon',
    began: (name) => `API key ${name} expires soon`,
    ended: null,
    page: '/developers',
    notifiesOperators: false,
  },
  certificate_ending: {
    label: 'Certificate for phones ends soon (operators)',
    began: (name) => `The certificate for phones at ${name} ends soon`,
    ended: null,
    page: '/devices',
    notifiesOperators: true,
  },
  messages_stranded: {
    label: 'Messages wait for an own device',
    began: (name) => `Messages of ${name} wait for an own device`,
    ended: null,
    page: '/devices',
    notifiesOperators: false,
  },
  plan_limit: {
    label: 'SIM plan nearly used up',
    began: (name) => `The SIM plan of ${name} is nearly used up`,
    ended: null,
    page: '/devices',
    notifiesOperators: false,
  },
  canary_lost: {
    label: 'Canary messages lost',
    began: (name) => `Canary messages of ${name} are lost`,
    ended: (name) => `Canary messages of ${name} arrive again`,
    page: '/devices',
    notifiesOperators: false,
  },
}

export const alertKinds = Object.keys(alertTexts) as AlertKind[]

/** Formats a time for mails: to the minute, in UTC, because the time zone of the reader is unknown. */
export const formatInstant = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
