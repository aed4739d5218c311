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

/** One exception in several files. */
const inFiles = (text: string, why: string, ...files: readonly string[]): WordException[] =>
  files.map((file) => ({ file, text, why }))

export const exceptions: readonly WordException[] = [
  {
    file: 'src/messages/inbound/inbound-message.ts',
    text: 'toldOtherwise',
    why: 'a member of Inbound of src/connectors/connector.ts, which is not done yet',
  },
  {
    file: 'src/messages/inbound/receive-messages.ts',
    text: 'toldOtherwise',
    why: 'a member of Inbound of src/connectors/connector.ts, which is not done yet',
  },
  {
    file: 'src/privacy/erase-number-traces.ts',
    text: 'forgetUnmatchedAbout',
    why: 'an export of src/messages/outcomes, which keeps its names until it is rebuilt',
  },
  {
    file: 'src/privacy/erase-number-traces.ts',
    text: 'UnmatchedPlace',
    why: 'an export of src/messages/outcomes, which keeps its names until it is rebuilt',
  },
  {
    file: 'src/privacy/erase-page.ts',
    text: 'rangeOfUnknownParts',
    why: 'an export of src/messages/outcomes, which keeps its names until it is rebuilt',
  },
  {
    file: 'src/privacy/erase-number.ts',
    text: 'handedOver',
    why: 'a detail of the audit log',
  },
  {
    file: 'src/ledger/grants.ts',
    text: 'Daily refill of play SMS.',
    why: 'a note that is stored in ledger entries',
  },
  {
    file: 'src/accounts/people/password-rules.ts',
    text: 'freedom whatever trustno',
    why: 'a list of common passwords',
  },
  {
    file: 'src/runtime/agreed-clock.ts',
    text: 'ToldTime',
    why: 'an export that src/dispatch/nodes/heartbeats.ts uses, which is not done yet',
  },
  {
    file: 'src/runtime/shared-counts.ts',
    text: 'isHeard',
    why: 'a callback that src/dispatch/nodes/broadcasts.ts passes, which is not done yet',
  },
  {
    file: 'src/settings/device-settings.ts',
    text: 'parkedReceiptHours',
    why: 'a member of the configuration, used by src/dispatch/, which is not done yet',
  },
  {
    file: 'src/settings/device-settings.ts',
    text: 'parkedReceipts:',
    why: 'a member of the configuration, used by src/dispatch/, which is not done yet',
  },
  {
    file: 'src/dispatch/submissions/submission-log.ts',
    text: 'hand-overs.log',
    why: 'a file of the data folder, which an upgraded server reads',
  },
  ...inFiles(
    'unknownParts',
    'a member of an outcome, which the submission log stores',
    'src/connectors/connector.ts',
    'src/connectors/sms/part-outcomes.ts',
    'src/dispatch/outcomes/retry-policy.ts',
    'src/dispatch/outcomes/valid-outcome.ts',
  ),
  ...inFiles(
    'failuresReported',
    'a member of an outcome, which the submission log stores',
    'src/connectors/connector.ts',
    'src/connectors/smpp/link.ts',
    'src/connectors/sms/part-outcomes.ts',
    'src/dispatch/devices/resume-receipts.ts',
    'src/dispatch/outcomes/retry-policy.ts',
  ),
  ...inFiles(
    'toldOtherwise',
    'a member of InboundMessage in src/messages/inbound, which is not done yet',
    'src/connectors/connector.ts',
    'src/connectors/android/hooks.ts',
    'src/dispatch/inbound/inbound-receiver.ts',
  ),
  ...inFiles('mayBeTold', 'a member of DueMail in src/alerts', 'src/dispatch/sweepers/alert-mailer.ts'),
  ...inFiles(
    'dropOldestUnmatched',
    'an export of src/messages/outcomes/unmatched-receipts.ts, which is not done yet',
    'src/dispatch/sweepers/receipt-expirer.ts',
  ),
  ...inFiles('parkedReceiptHours', 'the name of a setting', 'src/dispatch/sweepers/sweepers.ts'),
  ...inFiles('parkedReceipts', 'the name of a setting', 'src/dispatch/sweepers/sweepers.ts'),
  ...inFiles('isHeard', 'an argument of src/runtime/shared-counts.ts', 'src/dispatch/nodes/broadcasts.ts'),
  ...inFiles('ToldTime', 'a type of src/runtime/agreed-clock.ts', 'src/dispatch/nodes/heartbeats.ts'),
  {
    file: 'src/alerts/alert-mails.ts',
    text: 'mayBeTold',
    why: 'a member that src/dispatch/sweepers/alert-mailer.ts uses, which is not done yet',
  },
  {
    file: 'src/api/console/sign-in/sign-in.ts',
    text: 'nobody@users.invalid',
    why: 'a value, not prose: an address that cannot exist',
  },
]

/** Paths whose words have been gone through; documents and tests follow, until this is everything. */
export const donePaths: readonly string[] = [
  'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', 'docs/webhooks.md', 'docs/operating.md', 'docs/doctor.md',
  'docs/receiving.md', 'docs/scaling.md', 'docs/connectors/android.md', 'docs/connectors/simulator.md',
  'docs/connectors/smpp.md', 'console/src/', 'src/',
] // prettier-ignore

/** Files below `donePaths` that are rebuilt by a later issue, and get their words with it. */
export const laterPaths: readonly string[] = [
  'src/messages/outcomes/unknown-parts.ts',
  'src/messages/outcomes/unmatched-receipts.ts',
]
