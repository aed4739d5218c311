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

export const exceptions: readonly WordException[] = []

/** Paths whose words have been gone through; the rest follows room by room, until this is everything. */
export const donePaths: readonly string[] = [
  'README.md',
  'docs/webhooks.md',
  'console/src/connection/',
  'console/src/drafts/',
  'src/errors.ts',
  'src/api/field-faults.ts',
]
