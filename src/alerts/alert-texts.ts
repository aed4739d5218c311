import type { AlertKind } from '../storage/tables/operator-tables.ts'

/** How an alert is told. */
export interface AlertTexts {
  /** What people choose by, in their profile. */
  label: string
  /** Subjects of the two mails; null where the end is no news. */
  began: (name: string) => string
  ended: ((name: string) => string) | null
  /** Where the console shows it: below the page of the account, or of the operator. */
  page: string
  /** Whether the operators are told beside the owners of the account. */
  tellsOperators: boolean
}

/** Every kind of alert, in the order in which the profile shows them. */
export const alertTexts: Readonly<Record<AlertKind, AlertTexts>> = {
  device_offline: {
    label: 'A device is offline',
    began: (name) => `${name} is offline`,
    ended: (name) => `${name} is back`,
    page: '/devices',
    tellsOperators: false,
  },
  balance_low: {
    label: 'The balance is low',
    began: (name) => `The balance of ${name} is low`,
    ended: (name) => `The balance of ${name} is above its threshold again`,
    page: '/balance',
    tellsOperators: false,
  },
  balance_exhausted: {
    label: 'The balance is used up',
    began: (name) => `The balance of ${name} is used up`,
    ended: (name) => `${name} may send again`,
    page: '/balance',
    tellsOperators: false,
  },
  webhook_disabled: {
    label: 'A webhook endpoint was disabled',
    began: (name) => `The webhook endpoint at ${name} was disabled`,
    ended: (name) => `The webhook endpoint at ${name} is told again`,
    page: '/webhooks',
    tellsOperators: false,
  },
  unusual_failures: {
    label: 'Unusually many messages fail',
    began: (name) => `Unusually many messages of ${name} fail`,
    ended: (name) => `Failures of ${name} are as usual again`,
    page: '/history',
    tellsOperators: false,
  },
  pumping_paused: {
    label: 'An account was paused by the guard against pumping',
    began: (name) => `${name} was paused: its messages looked like SMS pumping`,
    ended: (name) => `${name} is paused no more`,
    page: '/history',
    tellsOperators: true,
  },
  key_expiring: {
    label: 'An API key ends soon',
    began: (name) => `The API key ${name} ends soon`,
    ended: null,
    page: '/developers',
    tellsOperators: false,
  },
}

export const alertKinds = Object.keys(alertTexts) as AlertKind[]
