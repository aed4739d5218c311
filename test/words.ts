/** What docs and code must not say, and what to say instead: docs/glossary.md has the words, CONTRIBUTING.md the rules. */
export interface BannedPhrase {
  pattern: RegExp
  instead: string
}

export const bannedPhrases: readonly BannedPhrase[] = [
  {
    pattern: /\b(?:some|no)body\b/i,
    instead: 'the part or role that acts: client, user, operator, no device',
  },
  { pattern: /\bwho(?:so)?ever\b/i, instead: 'anyone who, the client that' },
  { pattern: /\bwhatever\b/i, instead: 'regardless of, any' },
  { pattern: /\banew\b/i, instead: 'again, re-… (reconnect, recreate)' },
  { pattern: /\bbeside\b/i, instead: 'next to, along with, in addition to' },
  { pattern: /\bhand(?:s|ed|ing)?[ -]?over/i, instead: 'submit, submission' },
  { pattern: /\bfor ever\b/i, instead: 'permanently, indefinitely' },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/i, instead: 'is notified, is sent, is reported' },
  { pattern: /\bstands? (?:there|here|in|at|below|above|behind)\b/i, instead: 'is, is listed, is stored' },
  { pattern: /\b(?:came|comes|becomes?|became) of\b/i, instead: 'the outcome, the result' },
  { pattern: /\blate (?:yes|word)/i, instead: 'late ack, late receipt' },
  { pattern: /\bmoods?\b/i, instead: 'simulated outcome' },
  { pattern: /\b(?:when|is|are|was|were) left out\b/i, instead: 'omitted; Default: …' },
  { pattern: /\bgo(?:es)? on\b/i, instead: 'continue, resume' },
  { pattern: /\bgive[ns]? up\b/i, instead: 'fail permanently, stop after N attempts' },
  { pattern: /\bgiven back\b/i, instead: 'released' },
  { pattern: /\bin doubt\b/i, instead: 'with unknown outcome' },
  { pattern: /\bagain and again\b/i, instead: 'repeatedly' },
  { pattern: /\ball the same\b/i, instead: 'anyway' },
  { pattern: /\bso many\b/i, instead: 'N, this many' },
  { pattern: /\bunder ?way\b/i, instead: 'in flight, running' },
  { pattern: /\bplay SMS\b/i, instead: 'test credits' },
  { pattern: /\btake[ns]? away\b/i, instead: 'remove' },
  { pattern: /\bput back\b/i, instead: 'restore' },
  { pattern: /\bthis once\b/i, instead: 'only once' },
  { pattern: /\bsays? (?:yes|no)\b/i, instead: 'acks, rejects' },
  { pattern: /\bmade a mistake\b/i, instead: 'what failed, by cause' },
  { pattern: /\bis to be had\b/i, instead: 'is available' },
  { pattern: /\bexplains? itself\b/i, instead: 'Run … --help for details' },
  { pattern: /\bis too much here\b/i, instead: 'Unexpected argument' },
  { pattern: /\bat hand\b/i, instead: 'available, current' },
  {
    pattern: /\badds? everything up\b|\bsums? adds? up\b/i,
    instead: 'checks all sums, all sums are correct',
  },
]

/** Humps of identifiers and parts of file names that the glossary replaces. */
export const bannedNames: readonly string[] = [
  'HandOver', 'Told', 'Heard', 'Beats', 'House', 'Desk', 'Forgetter', 'Closer', 'Parked', 'Doubt', 'Anew', 'Mood', 'Untold',
  'Sharer', 'Behind', 'Yes', 'News',
] // prettier-ignore

/** A quotation, or a name that is an interface: the exact text in which a phrase may remain. */
export interface WordException {
  file: string
  text: string
  why: string
}

export const exceptions: readonly WordException[] = [
  {
    file: 'src/cli/device/device-receipts.ts',
    text: 'readParked',
    why: 'an export of src/messages/outcomes/parked-receipts.ts, which is not done yet',
  },
  {
    file: 'src/cli/message/message-erase.ts',
    text: 'inFlight',
    why: 'a member of the result of src/privacy/erase-number.ts, which is not done yet',
  },
]

/** Paths whose words have been gone through; the rest follows room by room, until this is everything. */
export const donePaths: readonly string[] = [
  'README.md',
  'docs/webhooks.md',
  'console/src/connection/',
  'console/src/drafts/',
  'src/runtime/errors.ts',
  'src/runtime/field-faults.ts',
  'src/cli/database/backup.ts',
  'src/cli/core/check-result.ts',
  'src/cli/core/command-context.ts',
  'src/cli/core/command-errors.ts',
  'src/cli/command-line.ts',
  'src/cli/core/command.ts',
  'src/cli/device/connect-phone.ts',
  'src/cli/device/device-connect.ts',
  'src/cli/device/device-lookup.ts',
  'src/cli/device/device-receipts.ts',
  'src/cli/device/device-remove.ts',
  'src/cli/device/device-same.ts',
  'src/cli/device/device-taken.ts',
  'src/cli/device/device-test.ts',
  'src/cli/device/device-unread.ts',
  'src/cli/device/print-device.ts',
  'src/cli/device/device.ts',
  'src/cli/doctor/doctor-file.ts',
  'src/cli/doctor/doctor-holds.ts',
  'src/cli/doctor/doctor-phones.ts',
  'src/cli/doctor/doctor-schema.ts',
  'src/cli/doctor/doctor-secret.ts',
  'src/cli/doctor/doctor-server.ts',
  'src/cli/doctor/doctor-webhooks.ts',
  'src/cli/doctor/doctor.ts',
  'src/cli/server/first-run.ts',
  'src/cli/device/group.ts',
  'src/cli/core/help.ts',
  'src/cli/access/key.ts',
  'src/cli/device/link-options.ts',
  'src/cli/core/listed-secret.ts',
  'src/cli/server/listen-fault.ts',
  'src/cli/core/look-until.ts',
  'src/cli/message/message-erase.ts',
  'src/cli/message/message-ports.ts',
  'src/cli/message/message-show.ts',
  'src/cli/message/message.ts',
  'src/cli/database/migrate.ts',
  'src/cli/database/move-lines.ts',
  'src/cli/database/move.ts',
  'src/cli/access/operator.ts',
  'src/cli/core/parse-options.ts',
  'src/cli/device/phone-checks.ts',
  'src/cli/core/progress-lines.ts',
  'src/cli/core/read-secrets.ts',
  'src/cli/core/read-time.ts',
  'src/cli/database/restore.ts',
  'src/cli/database/secret.ts',
  'src/cli/message/send.ts',
  'src/cli/server/serve.ts',
  'src/cli/device/read-sim-number.ts',
  'src/cli/access/user.ts',
  'src/cli/server/version.ts',
  'src/cli/webhook/webhook-test.ts',
  'src/cli/webhook/webhook.ts',
]
