import { offWords, offWordsList } from './off-words.ts'
import { oneOf, shortMessage, someOf, wholeNumber, wordList } from './setting-readers.ts'
import { setting } from './setting.ts'

/** Settings of received messages: how many are accepted, and which account gets them. */
export const inboundSettings = {
  inboundJoinMinutes: setting({
    env: 'ONESIXTY_INBOUND_JOIN_MINUTES',
    read: wholeNumber(1, 1_440),
    default: 30,
    summary:
      'Minutes to wait for missing parts of a received message before it is delivered incomplete. Networks repeat a lost part within minutes.',
  }),
  inboundCharacters: setting({
    env: 'ONESIXTY_INBOUND_CHARACTERS',
    read: wholeNumber(160, 40_000),
    default: 40_000,
    summary:
      'Longest text to keep of a received message, in characters; longer ones are cut. The longest joined SMS has 255 parts of 153 characters.',
  }),
  inboundPerMinute: setting({
    env: 'ONESIXTY_INBOUND_PER_MINUTE',
    read: wholeNumber(0),
    default: 6_000,
    summary:
      'Received messages, or parts of long ones, to accept from one device per minute; 0 = no limit. More are deferred, not lost: networks and phones deliver them again. A hundred a second is more than a busy SMPP connection receives, and a flood cannot fill the disk.',
  }),
  sharedReplyDays: setting({
    env: 'ONESIXTY_SHARED_REPLY_DAYS',
    read: wholeNumber(0, 365),
    default: 30,
    summary:
      'Days in which a message from a number through a shared device belongs to the account that last sent to this number through it; 0 = only if it names the message that it answers. Messages that match no account go to the operator. A month of replies; later ones may be meant for another account, or come from a new owner of the number.',
  }),
  sharedStopDays: setting({
    env: 'ONESIXTY_SHARED_STOP_DAYS',
    read: wholeNumber(1, 3_650),
    default: 90,
    summary:
      'Days in which an account must have sent to a number through a shared device for a STOP through this device to apply to it, and for STOP and HELP to be answered. As long as records are kept: after that, recipients no longer expect messages.',
  }),
  stopWords: setting<readonly string[]>({
    env: 'ONESIXTY_STOP_WORDS',
    read: wordList,
    default: [],
    summary: `Further texts that count as STOP, separated by commas: keywords in your languages. STOP, STOPALL, UNSUBSCRIBE, OPTOUT and ARRET always count, and so do ${offWordsList('and')} unless they are in ONESIXTY_STOP_WORDS_OFF.`,
  }),
  stopWordsOff: setting<readonly string[]>({
    env: 'ONESIXTY_STOP_WORDS_OFF',
    read: someOf(...offWords),
    default: [],
    summary: `Which of ${offWordsList('and')} do not count as STOP, separated by commas, because your recipients answer questions with them, such as CANCEL to an appointment. In the USA they revoke consent (47 CFR 64.1200(a)(10)): leave them on there.`,
  }),
  stopAnswer: setting<string | null>({
    env: 'ONESIXTY_STOP_ANSWER',
    read: shortMessage,
    default: 'You will get no more messages from us. Reply START to get them again.',
    summary:
      'Reply to a number that has opted out, sent once at the cost of the account; `off` for none. The rules of most countries require it. Accounts can have their own replies, by language.',
  }),
  helpAnswer: setting<string | null>({
    env: 'ONESIXTY_HELP_ANSWER',
    read: shortMessage,
    default: null,
    summary:
      'Reply to HELP and INFO, at the cost of the account and once an hour to one number; `off` for none. Default: none. State who sends, how to reach them, and that STOP ends the messages. Accounts can have their own replies, by language.',
  }),
  answerShared: setting<'yes' | 'no'>({
    env: 'ONESIXTY_ANSWER_SHARED',
    read: oneOf('yes', 'no'),
    default: 'no',
    summary:
      'Whether STOP and HELP through a shared device are answered too: yes or no. Several accounts may have sent to the number, and one would pay for all.',
  }),
} as const
