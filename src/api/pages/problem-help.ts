import type { ProblemCode } from '../../runtime/errors.ts'
import { type GuideName, guidePath, guides } from '../../process/guides.ts'
import { ownCommandOverNetwork } from '../../process/own-command.ts'
import { type Html, html } from './html.ts'

interface Help {
  /** Guides, and the heading of each that is about it. */
  guides?: readonly (readonly [name: GuideName, heading?: string])[]
  /** What the operator runs on the server. */
  command?: string
}

const help: Readonly<Partial<Record<ProblemCode, Help>>> = {
  insufficient_balance: { command: 'account grant --account acc_… --sms 100' },
  https_required: { guides: [['operating', 'how-users-sign-in'], ['configuration', 'server']] },
  account_suspended: { command: 'account reactivate --account acc_…', guides: [['operating', 'guarding-against-abuse']] },
  link_not_valid: { command: 'user reset-link --email YOUR-ADDRESS', guides: [['operating', 'how-users-sign-in']] },
  recipients_rejected: { guides: [['receiving', 'opt-outs'], ['operating', 'guarding-against-abuse']] },
  recipient_rate_limited: { guides: [['operating', 'guarding-against-abuse']] },
  queue_full: { guides: [['configuration', 'accounts']] },
  no_sender_available: { command: 'device list', guides: [['phones'], ['modems'], ['smpp-links'], ['simulators']] },
  internal_error: { command: 'doctor', guides: [['doctor']] },
  unavailable: { command: 'doctor', guides: [['doctor']] },
  storage_damaged: { command: 'doctor --full', guides: [['doctor'], ['operating', 'restoring']] },
  storage_full: { command: 'doctor', guides: [['doctor', 'machine-and-files']] },
} // prettier-ignore

/** Renders what helps further with a problem: guides, and the command for the operator; nothing where the remedy says it all. */
export function helpFor(code: ProblemCode): Html {
  const { guides: listed = [], command } = help[code] ?? {}
  const links = listed.map(([name, heading], i) =>
    html`${i === 0 ? '' : ', '}<a href="${guidePath(name, heading)}">${guides[name].title}</a>`) // prettier-ignore
  return html`${command === undefined ? html`` : html`
    <p>On the server: <code>${ownCommandOverNetwork()} ${command}</code></p>`}${links.length === 0 ? html`` : html`
    <p>Guides: ${links}</p>`}` // prettier-ignore
}
