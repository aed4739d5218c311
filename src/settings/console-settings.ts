import { setting } from './setting.ts'
import { oneOf, smtpUrl, someText, wholeNumber } from './setting-readers.ts'

/** Settings about the people who sign in to the console. */
export const consoleSettings = {
  signUp: setting<'open' | 'invite' | 'closed' | null>({
    env: 'ONESIXTY_SIGNUP',
    read: oneOf('open', 'invite', 'closed'),
    default: null,
    says: 'Who may open an account in the console: open (everybody), invite (with an invitation) or closed. When not set it is open while only this machine can reach the service, else invite.',
  }),
  signUpsPerHour: setting({
    env: 'ONESIXTY_SIGNUPS_PER_HOUR',
    read: wholeNumber(0),
    default: 5,
    says: 'Accounts opened an hour and address; 0 switches the limit off. Each brings free SMS.',
  }),
  signInFailures: setting({
    env: 'ONESIXTY_SIGN_IN_FAILURES',
    read: wholeNumber(1),
    default: 10,
    says: 'Wrong passwords in 15 minutes for one e-mail address from one network, then 429. Three times as many from one network, ten times as many for one address from all networks; a network is an IPv4 address or a /64 of IPv6, and a /48 has three times as many. A browser that has signed in before is counted separately, so that nobody else can lock its user out.',
  }),
  passkeysPerUser: setting({
    env: 'ONESIXTY_PASSKEYS_PER_USER',
    read: wholeNumber(1, 100),
    default: 20,
    says: 'Passkeys of one person: more than anybody has devices. A browser is told of all of them when one is added.',
  }),
  setUpLinkHours: setting({
    env: 'ONESIXTY_SETUP_LINK_HOURS',
    read: wholeNumber(1, 8_760),
    default: 72,
    says: 'How long the link works that lets the owner of a new account choose a password; a weekend.',
  }),
  resetLinkHours: setting({
    env: 'ONESIXTY_RESET_LINK_HOURS',
    read: wholeNumber(1, 720),
    default: 4,
    says: 'How long a link works that replaces a lost password or confirms an e-mail address: longer than a slow mail takes, shorter than a mailbox stays open.',
  }),
  trafficDays: setting({
    env: 'ONESIXTY_TRAFFIC_DAYS',
    read: wholeNumber(97, 36_500),
    default: 400,
    says: 'How long the six-hour counts behind the overview are kept: a year and a month, to compare. At least 97 days, the 90 of the overview and a week before. They hold no texts and no numbers.',
  }),
  exportsAtOnce: setting({
    env: 'ONESIXTY_EXPORTS_AT_ONCE',
    read: wholeNumber(1, 100),
    default: 4,
    says: 'Exports of the history at the same time on each node, of all accounts together; one more is answered 429. With 2 or fewer ONESIXTY_EXPORTS_PER_ACCOUNT has to be 1. They share one reader of the database, and each holds one page of 500 messages in memory.',
  }),
  invitationDays: setting({
    env: 'ONESIXTY_INVITATION_DAYS',
    read: wholeNumber(1, 365),
    default: 7,
    says: 'How long an invitation works: a week, for people who are away for some days.',
  }),
  invitationsPerHour: setting({
    env: 'ONESIXTY_INVITATIONS_PER_HOUR',
    read: wholeNumber(0),
    default: 20,
    says: 'Invitations an hour and account; 0 switches the limit off. Each is a mail to an address that somebody types, from this server.',
  }),
  openInvitations: setting({
    env: 'ONESIXTY_OPEN_INVITATIONS',
    read: wholeNumber(1, 200),
    default: 100,
    says: 'Invitations to one account that work at the same time. Each lets somebody in.',
  }),
  exportsPerAccount: setting({
    env: 'ONESIXTY_EXPORTS_PER_ACCOUNT',
    read: wholeNumber(1, 4),
    default: 2,
    says: 'Exports of one account at the same time on each node: fewer than ONESIXTY_EXPORTS_AT_ONCE, so that one account cannot have them all; 1 where that is 1.',
  }),
  deviceTryPauseSeconds: setting({
    env: 'ONESIXTY_DEVICE_TRY_PAUSE_S',
    read: wholeNumber(0, 3_600),
    default: 10,
    says: 'Seconds between two trials of one device from the console, each of which signs in at a provider: many block whoever does so too often.',
  }),
  downloadStallSeconds: setting({
    env: 'ONESIXTY_DOWNLOAD_STALL_S',
    read: wholeNumber(1, 3_600),
    default: 60,
    says: 'Seconds after which a download is cut off of which nobody takes anything: it keeps others from theirs.',
  }),
  smtpUrl: setting<string | null>({
    env: 'ONESIXTY_SMTP_URL',
    read: smtpUrl,
    default: null,
    says: 'Mail server for invitations, lost passwords and alerts: smtp://user:password@mail.example.org:587, or smtps:// for TLS from the first byte. Without it the console shows links to copy.',
    secret: true,
  }),
  mailFrom: setting<string | null>({
    env: 'ONESIXTY_MAIL_FROM',
    read: someText,
    default: null,
    says: 'Sender of those mails, such as `onesixty <sms@example.org>`; onesixty at the host of the public address when not set.',
  }),
  consoleStreams: setting({
    env: 'ONESIXTY_CONSOLE_STREAMS',
    read: wholeNumber(1),
    default: 50,
    says: 'Tabs of the console that may look on at one account at the same time, on each node. Each reads what has changed, several times a second while much does.',
  }),
} as const
