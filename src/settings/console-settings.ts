import { setting } from './setting.ts'
import { oneOf, smtpUrl, someText, wholeNumber } from './setting-readers.ts'

/** Settings of the console and its users. */
export const consoleSettings = {
  signUp: setting<'open' | 'invite' | 'closed' | null>({
    env: 'ONESIXTY_SIGNUP',
    read: oneOf('open', 'invite', 'closed'),
    default: null,
    summary:
      'Who can create an account in the console: open (everyone), invite (by invitation) or closed. Default: open while only this machine can reach the server, else invite.',
  }),
  signUpsPerHour: setting({
    env: 'ONESIXTY_SIGNUPS_PER_HOUR',
    read: wholeNumber(0),
    default: 5,
    summary: 'Accounts created per hour and IP address; 0 = no limit. Each new account gets free SMS.',
  }),
  signInFailures: setting({
    env: 'ONESIXTY_SIGN_IN_FAILURES',
    read: wholeNumber(1),
    default: 10,
    summary:
      'Wrong passwords in 15 minutes for one e-mail address from one network, then 429. Three times as many from one network, ten times as many for one address from all networks; a network is an IPv4 address or a /64 of IPv6, and a /48 has three times as many. A browser that has signed in before is counted separately, so that an attacker cannot lock its user out.',
  }),
  passkeysPerUser: setting({
    env: 'ONESIXTY_PASSKEYS_PER_USER',
    read: wholeNumber(1, 100),
    default: 20,
    summary:
      'Maximum passkeys per user: more than a person has devices. A browser receives the list of all of them when one is added.',
  }),
  setUpLinkHours: setting({
    env: 'ONESIXTY_SETUP_LINK_HOURS',
    read: wholeNumber(1, 8_760),
    default: 72,
    summary: 'Hours that the link works with which the owner of a new account chooses a password. A weekend.',
  }),
  resetLinkHours: setting({
    env: 'ONESIXTY_RESET_LINK_HOURS',
    read: wholeNumber(1, 720),
    default: 4,
    summary:
      'Hours that a link works that resets a password or confirms an e-mail address. Longer than a slow mail takes, shorter than a mailbox stays open.',
  }),
  trafficDays: setting({
    env: 'ONESIXTY_TRAFFIC_DAYS',
    read: wholeNumber(97, 36_500),
    default: 400,
    summary:
      'Days to keep the six-hour counts behind the overview: a year and a month, to compare. At least 97 days: the 90 of the overview and a week before. They contain no texts and no numbers.',
  }),
  exportsAtOnce: setting({
    env: 'ONESIXTY_EXPORTS_AT_ONCE',
    read: wholeNumber(1, 100),
    default: 4,
    summary:
      'Exports of the history at the same time on each node, for all accounts together; further ones get 429. With 2 or fewer, ONESIXTY_EXPORTS_PER_ACCOUNT must be 1. They share one reader of the database, and each holds one page of 500 messages in memory.',
  }),
  invitationDays: setting({
    env: 'ONESIXTY_INVITATION_DAYS',
    read: wholeNumber(1, 365),
    default: 7,
    summary: 'Days that an invitation works. A week, for people who are away for some days.',
  }),
  invitationsPerHour: setting({
    env: 'ONESIXTY_INVITATIONS_PER_HOUR',
    read: wholeNumber(0),
    default: 20,
    summary:
      'Invitations per hour and account; 0 = no limit. Each is a mail from this server to an address that a user enters.',
  }),
  openInvitations: setting({
    env: 'ONESIXTY_OPEN_INVITATIONS',
    read: wholeNumber(1, 200),
    default: 100,
    summary: 'Maximum open invitations to one account. Each is access to the account for its holder.',
  }),
  exportsPerAccount: setting({
    env: 'ONESIXTY_EXPORTS_PER_ACCOUNT',
    read: wholeNumber(1, 4),
    default: 2,
    summary:
      'Exports of one account at the same time on each node. Fewer than ONESIXTY_EXPORTS_AT_ONCE, so that one account cannot use them all; 1 where that is 1.',
  }),
  deviceTryPauseSeconds: setting({
    env: 'ONESIXTY_DEVICE_TRY_PAUSE_S',
    read: wholeNumber(0, 3_600),
    default: 10,
    summary:
      'Minimum seconds between two tests of one device from the console. Each test signs in at a provider, and many providers block clients that do so too often.',
  }),
  downloadStallSeconds: setting({
    env: 'ONESIXTY_DOWNLOAD_STALL_S',
    read: wholeNumber(1, 3_600),
    default: 60,
    summary: 'Seconds without progress after which a download is closed. A stalled download blocks others.',
  }),
  smtpUrl: setting<string | null>({
    env: 'ONESIXTY_SMTP_URL',
    read: smtpUrl,
    default: null,
    summary:
      'Mail server for invitations, password resets and alerts: smtp://user:password@mail.example.org:587, or smtps:// for TLS from the first byte. Without it the console shows links to copy.',
    secret: true,
  }),
  mailFrom: setting<string | null>({
    env: 'ONESIXTY_MAIL_FROM',
    read: someText,
    default: null,
    summary:
      'Sender of these mails, such as `onesixty <sms@example.org>`. Default: onesixty at the host of the public address.',
  }),
  consoleStreams: setting({
    env: 'ONESIXTY_CONSOLE_STREAMS',
    read: wholeNumber(1),
    default: 50,
    summary:
      'Console tabs that can follow one account live at the same time, on each node. Each reads the changes, up to several times a second.',
  }),
} as const
