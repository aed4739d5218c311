import { setting } from './setting.ts'
import { countriesOf, wholeNumber } from './setting-readers.ts'

/**
 * Limits against abuse. An operator can set most per account (`onesixty account limit`, `account countries`).
 */
export const guardSettings = {
  newAccountCountries: setting({
    env: 'ONESIXTY_NEW_ACCOUNT_COUNTRIES',
    read: countriesOf,
    default: null,
    summary:
      'Countries to which a new account can send: `all`, `none`, or ISO 3166 codes separated by commas. Default: all. With `none` an operator enables them one by one, which limits the cost of a stolen key.',
  }),
  messagesPerNumber: setting({
    env: 'ONESIXTY_MESSAGES_PER_NUMBER',
    read: wholeNumber(0),
    default: 0,
    summary:
      'Messages of one account to one number per hour, then 429; 0 = no limit. Off by default: monitoring systems send alarms to one number all day, and codes have a limit of their own.',
  }),
  messagesPerPrefix: setting({
    env: 'ONESIXTY_MESSAGES_PER_PREFIX',
    read: wholeNumber(0),
    default: 0,
    summary:
      'Messages of one account per hour to numbers that differ only in their last three digits, then 429; 0 = no limit. Off by default: the staff of one company have numbers in the same block.',
  }),
  pumpingNumbers: setting({
    env: 'ONESIXTY_PUMPING_NUMBERS',
    read: wholeNumber(0),
    default: 30,
    summary:
      'Numbers in one block (only the last three digits differ) to which one account can send codes in an hour. With more it is suspended, if they are also most of its codes and a growing share: a sign of SMS pumping, in which codes are requested for numbers that earn money by each SMS. 0 switches the guard off.',
  }),
  pumpingMessages: setting({
    env: 'ONESIXTY_PUMPING_MESSAGES',
    read: wholeNumber(0),
    default: 200,
    summary:
      'The same limit for messages of all other categories that are sent to one number at a time, as a web form does: many clients send codes without the category. Higher than for codes, because the staff of a company have numbers in the same block too; a request to several numbers is a list of your own and is not counted. 0 watches only codes; if ONESIXTY_PUMPING_NUMBERS is 0, nothing is watched.',
  }),
} as const
