import { offWords, offWordsList } from './off-words.ts'
import { oneOf, shortMessage, someOf, wholeNumber, wordList } from './setting-readers.ts'
import { setting } from './setting.ts'

/** What reaches the devices: how much of it is taken, and whose it is. */
export const inboundSettings = {
  inboundJoinMinutes: setting({
    env: 'ONESIXTY_INBOUND_JOIN_MINUTES',
    read: wholeNumber(1, 1_440),
    default: 30,
    says: 'How long the pieces of a long received message are waited for, then what came of it is handed over. Networks repeat a lost piece within minutes.',
  }),
  inboundCharacters: setting({
    env: 'ONESIXTY_INBOUND_CHARACTERS',
    read: wholeNumber(160, 40_000),
    default: 40_000,
    says: 'Longest text that is kept of a received message; what goes beyond it is cut. The longest joined SMS has 255 parts of 153 characters.',
  }),
  inboundPerMinute: setting({
    env: 'ONESIXTY_INBOUND_PER_MINUTE',
    read: wholeNumber(0),
    default: 6_000,
    says: 'Messages, or pieces of long ones, that are taken from one device in a minute; 0 switches the limit off. More are put off, not lost: networks and phones bring them again. A hundred a second is more than a busy link receives, and keeps a flood from the disk.',
  }),
  sharedReplyDays: setting({
    env: 'ONESIXTY_SHARED_REPLY_DAYS',
    read: wholeNumber(0, 365),
    default: 30,
    says: 'How long what comes from a number through a shared device is for the account that last sent there through it; 0 leaves only what names the message that it answers. What is for nobody is for the operator. A month of answers; later ones may mean someone else, or come from a number with a new owner.',
  }),
  sharedStopDays: setting({
    env: 'ONESIXTY_SHARED_STOP_DAYS',
    read: wholeNumber(1, 3_650),
    default: 90,
    says: 'A STOP through a shared device holds for every account that has sent to the number through it within so many days, and STOP and HELP are answered where the account has sent within them. As long as records are kept: who was not written to since has forgotten it.',
  }),
  stopWords: setting<readonly string[]>({
    env: 'ONESIXTY_STOP_WORDS',
    read: wordList,
    default: [],
    says: `What else counts as STOP, separated by commas: words of your languages. STOP, STOPALL, UNSUBSCRIBE, OPTOUT and ARRET always do, and ${offWordsList('and')} unless ONESIXTY_STOP_WORDS_OFF names them.`,
  }),
  stopWordsOff: setting<readonly string[]>({
    env: 'ONESIXTY_STOP_WORDS_OFF',
    read: someOf(...offWords),
    default: [],
    says: `Which of ${offWordsList('and')} are no STOP, separated by commas, because your recipients answer questions with them, as CANCEL to an appointment. In the USA they revoke consent (47 CFR 64.1200(a)(10)): leave them on there.`,
  }),
  stopAnswer: setting<string | null>({
    env: 'ONESIXTY_STOP_ANSWER',
    read: shortMessage,
    default: 'You will get no more messages from us. Reply START to get them again.',
    says: 'What a number is told once that has opted out, at the cost of the account; `off` for nothing. Rules of most countries ask for it. Accounts can have answers of their own, by language.',
  }),
  helpAnswer: setting<string | null>({
    env: 'ONESIXTY_HELP_ANSWER',
    read: shortMessage,
    default: null,
    says: 'What HELP and INFO are answered with, at the cost of the account and once an hour to one number; `off` for nothing. Not answered when not set. Say who sends, how to reach them, and that STOP ends it. Accounts can have answers of their own, by language.',
  }),
  answerShared: setting<'yes' | 'no'>({
    env: 'ONESIXTY_ANSWER_SHARED',
    read: oneOf('yes', 'no'),
    default: 'no',
    says: 'Whether STOP and HELP through a shared device are answered too: yes or no. Several accounts may have written to the number, and one would pay for all.',
  }),
} as const
