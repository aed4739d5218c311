import { readFile, writeFile } from 'node:fs/promises'
import { isMissing, type MissingPeer, type Peer } from './peer.ts'
import { type PeerRow, renderRows } from './peers-table.ts'
import type { VisitLengths } from './visit.ts'

/** All that one run of the bench says. */
export interface Measured {
  machine: string
  host: string
  flush: string
  disturbance: string
  command: string
  lengths: VisitLengths
  peers: readonly (Peer | MissingPeer)[]
  rows: readonly PeerRow[]
}

const file = new URL('../../docs/benchmarks.md', import.meta.url)
const heading = '## Side by side\n'
/** The section goes before this one. */
const nextHeading = '## Forms of the program\n'

/** The section in Markdown, with its heading. */
export function renderSection(measured: Measured): string {
  const { machine, host, flush, disturbance, command, lengths, peers, rows } = measured
  const { rounds, warm, coldLife, life } = lengths
  return `${heading}
Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}: medians of ${rounds} ${rounds === 1 ? 'start' : 'starts'} of each
program and row, in turns, with the same load generator and SMSC. Multiples hold on this machine; rates depend on what else it does.

${renderRows(rows, peers)}

${peers.map(describePeer).join('\n')}
- Machine: ${machine}; ${host}. A flush takes ${flush}; ${disturbance}.
- **Cold** is right after a start; **warm** after ${warm.toLocaleString('en')} more requests with one recipient. Processor time is that of all processes of a
  program and of its database. Memory is resident, two seconds after the start.
- **Accept**: no message leaves. The device of onesixty is offline; Kannel is bound to an SMSC that answers no submission, over four sessions with a
  window of 100; no phone asks the SMSGate server for its messages.
- **Whole life**: ${coldLife.toLocaleString('en')} messages cold, ${life.toLocaleString('en')} warm, over the same four sessions to an SMSC that answers and sends a receipt at once, from the first request to the
  last receipt: with onesixty when it is stored, with Kannel when it has called \`dlr-url\`, where a process counts calls.

`
}

function describePeer(peer: Peer | MissingPeer): string {
  if (isMissing(peer)) return `- **${peer.name}**: not here. ${peer.missing}`
  return `- **${peer.name}** ${peer.version}. What is answered is ${peer.durability}.`
}

/** Puts the section into docs/benchmarks.md, in the place of a former one. */
export async function recordSection(measured: Measured): Promise<void> {
  const page = await readFile(file, 'utf8')
  await writeFile(file, placeSection(page, renderSection(measured)))
}

/** Replaces the section of a page, or puts it before the forms of the program. Throws for a page that has neither. */
export function placeSection(page: string, section: string): string {
  const start = page.indexOf(heading)
  if (start < 0) {
    const before = page.indexOf(nextHeading)
    if (before < 0) throw new Error(`docs/benchmarks.md has no section "${nextHeading.trim()}".`)
    return page.slice(0, before) + section + page.slice(before)
  }
  const end = page.indexOf('\n## ', start)
  return page.slice(0, start) + section + (end < 0 ? '' : page.slice(end + 1))
}
