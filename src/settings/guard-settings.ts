import { setting } from './setting.ts'
import { countriesOf, wholeNumber } from './setting-readers.ts'

/** Of the guard against abuse. An operator may set most for one account, too (`onesixty account limit`, `account countries`). */
export const guardSettings = {
  newAccountCountries: setting({
    env: 'ONESIXTY_NEW_ACCOUNT_COUNTRIES',
    read: countriesOf,
    default: null,
    says: 'Countries that a new account may write to: `all`, `none`, or codes by ISO 3166 with commas between. All when not set. With `none` an operator opens them one by one: what a stolen key can cost is then little.',
  }),
  messagesPerNumber: setting({
    env: 'ONESIXTY_MESSAGES_PER_NUMBER',
    read: wholeNumber(0),
    default: 0,
    says: 'Messages of one account to one number in an hour, then 429; 0 switches the limit off. Off by default, because alarms of machines go to one number all day, and codes have a limit of their own.',
  }),
  messagesPerPrefix: setting({
    env: 'ONESIXTY_MESSAGES_PER_PREFIX',
    read: wholeNumber(0),
    default: 0,
    says: 'Messages of one account in an hour to numbers that differ in their last three digits only, then 429; 0 switches the limit off. Off by default, because the people of one company have neighbouring numbers.',
  }),
  pumpingNumbers: setting({
    env: 'ONESIXTY_PUMPING_NUMBERS',
    read: wholeNumber(0),
    default: 30,
    says: 'Neighbouring numbers (the last three digits differ) that codes of one account may go to in an hour before it is suspended, when they are also most of its codes and a growing share: somebody then has codes sent to numbers that earn money by each SMS (SMS pumping). 0 switches the guard off.',
  }),
  pumpingMessages: setting({
    env: 'ONESIXTY_PUMPING_MESSAGES',
    read: wholeNumber(0),
    default: 200,
    says: 'The same of messages of every other category that are sent to one number at a time, as a form of a web page has them sent: many programs send their codes without saying that they are. More than of codes, since the people of a company have neighbouring numbers too; what goes to several numbers in one request is a list of your own, and is not watched. 0 watches codes alone; nothing is watched where ONESIXTY_PUMPING_NUMBERS is 0.',
  }),
} as const
