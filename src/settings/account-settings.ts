import { setting } from './setting.ts'
import { oneOf, wholeNumber } from './setting-readers.ts'

/** Defaults and limits of accounts. */
export const accountSettings = {
  freeSms: setting({
    env: 'ONESIXTY_FREE_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 10,
    summary: 'SMS credited to a new account. Enough to try everything without paying, and little to lose.',
  }),
  playSms: setting({
    env: 'ONESIXTY_PLAY_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 1000,
    summary:
      'Test credits of an account, refilled daily at 00:00 UTC. More than a day of tests needs, and few enough for a test to use up.',
  }),
  lowBalance: setting({
    env: 'ONESIXTY_LOW_BALANCE',
    read: wholeNumber(0),
    default: 5,
    summary:
      'Balance, in SMS, at or below which a new account counts as low; each account can set its own. Half of the SMS that a new account gets.',
  }),
  ownDevices: setting<'first_free' | 'free' | 'charged'>({
    env: 'ONESIXTY_OWN_DEVICES',
    read: oneOf('first_free', 'free', 'charged'),
    default: 'first_free',
    summary:
      'What live messages over own phones, modems and links cost in a new account: `free`, `charged`, or free only in the account of the first start. An operator who runs the service for himself already pays for the SIM; other accounts get what the operator sells.',
  }),
  queueLimit: setting({
    env: 'ONESIXTY_QUEUE_LIMIT',
    read: wholeNumber(0),
    default: 10_000,
    summary:
      'Maximum number of scheduled and queued messages per account and mode; 0 = no limit. A hundred requests of 100 recipients; a client in an endless loop cannot fill the disk.',
  }),
} as const
