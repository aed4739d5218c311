import { setting } from './setting.ts'
import { wholeNumber } from './setting-readers.ts'

/** What a new account begins with, and what may wait of each. */
export const accountSettings = {
  freeSms: setting({
    env: 'ONESIXTY_FREE_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 10,
    says: 'SMS granted to a new account: enough to try everything without paying, little to give away.',
  }),
  playSms: setting({
    env: 'ONESIXTY_PLAY_SMS',
    read: wholeNumber(0, 1_000_000),
    default: 1000,
    says: 'What a test wallet is refilled to each day at 00:00 UTC: more than the tests of a day need, and an end that a test can reach.',
  }),
  lowBalance: setting({
    env: 'ONESIXTY_LOW_BALANCE',
    read: wholeNumber(0),
    default: 5,
    says: 'At or below this many SMS a new account counts as low: half of the free ones. Each account may set its own.',
  }),
  queueLimit: setting({
    env: 'ONESIXTY_QUEUE_LIMIT',
    read: wholeNumber(0),
    default: 10_000,
    says: 'Messages that may wait, account and mode; 0 switches the limit off. A hundred requests of 100 recipients; a program that runs wild fills no disk.',
  }),
} as const
