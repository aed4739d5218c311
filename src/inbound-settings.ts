import { wholeNumber } from './setting-readers.ts'
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
} as const
