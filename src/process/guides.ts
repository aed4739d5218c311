import { basename } from 'node:path'

/**
 * The guides that a running server has: pages of `docs/`, which `src/api/pages/guide-pages.ts` renders. A text that helps with more than a sentence links
 * one of them.
 */
export const guides = {
  phones: { file: 'docs/connectors/android.md', title: 'Android phones', summary: 'Send over a phone and its SIM: the app, HTTPS, battery, pace, troubles.' },
  'phone-results': { file: 'docs/connectors/android-results.md', title: 'Results of a phone', summary: 'What each error of Android means for a message.' },
  'sim-plans': { file: 'docs/sim-plans.md', title: 'SIM plans and canaries', summary: 'What a contract includes, and whether what a SIM sends arrives.' },
  'smpp-links': { file: 'docs/connectors/smpp.md', title: 'SMPP', summary: 'Send over a carrier or an aggregator: settings, five providers, troubles.' },
  'smpp-status': { file: 'docs/connectors/smpp-status.md', title: 'Answers of an SMSC', summary: 'What each command_status means for a message.' },
  modems: { file: 'docs/connectors/modem.md', title: 'GSM modems', summary: 'Send over a stick or a modem with a SIM: ports, PIN, reports, troubles.' },
  providers: { file: 'docs/connectors/http-provider.md', title: 'Messaging services', summary: 'Send over Twilio, Vonage or any other HTTP service, by declaration.' },
  simulators: { file: 'docs/connectors/simulator.md', title: 'The simulator', summary: 'Test mode, the eleven test numbers, and faults on purpose.' },
  webhooks: { file: 'docs/webhooks.md', title: 'Webhooks', summary: 'Events for your endpoints: signatures, retries, tests, secrets.' },
  routes: { file: 'docs/routes.md', title: 'Routes', summary: 'Which way messages go: rules, stages, groups, weights, and why.' },
  receiving: { file: 'docs/receiving.md', title: 'Received messages and opt-outs', summary: 'Replies, whose they are, STOP and START, keywords, the opt-out list.' },
  doctor: { file: 'docs/doctor.md', title: 'The doctor', summary: 'What the command `doctor` checks, and what to do about each fault.' },
  operating: { file: 'docs/operating.md', title: 'Operating', summary: 'Installing, upgrading, backups, monitoring, erasing, abuse, users.' },
  configuration: { file: 'docs/configuration.md', title: 'Configuration', summary: 'Every setting, its default and the reason.' },
} as const satisfies Record<string, { file: string; title: string; summary: string }> // prettier-ignore

export type GuideName = keyof typeof guides

/** The list of all guides. */
export const guidesPath = '/docs/guides'

/** Returns the path of a guide on every server, named as its file is, with the anchor of one of its headings where given. */
export const guidePath = (name: GuideName, heading = ''): string =>
  `${guidesPath}/${basename(guides[name].file, '.md')}${heading === '' ? '' : `#${heading}`}`
