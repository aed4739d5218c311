import { parseArgs } from 'node:util'
import { describeHost, watchHost } from './host-factor.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { describeMachine, measureFlush, watchDisturbance } from './machine.ts'
import { kannelPeer } from './peers/kannel-peer.ts'
import { onesixtyPeer } from './peers/onesixty-peer.ts'
import { isMissing, type MissingPeer, type Mode, type Peer } from './peers/peer.ts'
import { rowsOf } from './peers/peers-table.ts'
import { type Measured, renderSection, recordSection } from './peers/section.ts'
import { smsGatePeer } from './peers/smsgate-peer.ts'
import { type Seen, visit, type VisitLengths } from './peers/visit.ts'

const usage = `npm run bench:peers [-- options]

Measures this program and others on this machine, in turns, with the same load generator and SMSC, and compares medians. It installs nothing: of a
program that is missing it says what to install.

  --rounds N        Starts of each program for each row. Default: 3.
  --warm N          Requests with one recipient before what is measured warm. Default: 40000.
  --rows A,B        Rows to measure. Default: accept-one,accept-hundred,life-one,life-hundred.
  --only A,B        Other programs to measure. Default: kannel-file,kannel-spool,smsgate.
  --smsgate FILE    Server of SMSGate. Default: sms-gateway in PATH.
  --json            Prints JSON instead of the section in Markdown.
  --record          Writes the section "Side by side" of docs/benchmarks.md.
  --quick           Short runs, for work on the bench itself: their figures say nothing.

Everything is on loopback. A whole run takes about twenty minutes, and 6 GB for temporary files.
`

const rows = {
  'accept-one': { mode: 'accept', recipients: 1 },
  'accept-hundred': { mode: 'accept', recipients: 100 },
  'life-one': { mode: 'life', recipients: 1 },
  'life-hundred': { mode: 'life', recipients: 100 },
} as const satisfies Record<string, { mode: Mode; recipients: number }>
const peerNames = ['kannel-file', 'kannel-spool', 'smsgate'] as const

const fullLengths = { coldMs: 2_000, measureMs: 6_000, coldLife: 10_000, life: 40_000 }
const quickLengths = { coldMs: 500, measureMs: 1_000, coldLife: 500, life: 2_000 }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      warm: { type: 'string', default: '40000' },
      rows: { type: 'string', default: Object.keys(rows).join(',') },
      only: { type: 'string', default: peerNames.join(',') },
      smsgate: { type: 'string' },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const lengths: VisitLengths = {
    rounds: numberOf('--rounds', values.rounds),
    warm: numberOf('--warm', values.warm),
    ...(values.quick ? quickLengths : fullLengths),
  }
  const chosen = namesOf('--rows', values.rows, Object.keys(rows)) as (keyof typeof rows)[]
  const only = namesOf('--only', values.only, peerNames)
  const ends: (() => Promise<void>)[] = []
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end()
  }
  const generator = startLoadGenerator()
  endOnSignals()
  try {
    const peers = await peersOf(only, { smsGate: values.smsgate, onStop: (stop) => ends.push(stop) })
    const measured = await measure(peers, chosen, { lengths, generator, endAll })
    if (values.json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`)
    else process.stdout.write(`\n${renderSection(measured)}`)
    if (values.record) await recordSection(measured)
  } finally {
    await endAll()
    generator.stop()
  }
}

const peersOf = async (
  only: readonly string[],
  { smsGate, onStop }: { smsGate: string | undefined; onStop: (stop: () => Promise<void>) => void },
): Promise<(Peer | MissingPeer)[]> => [
  await onesixtyPeer(),
  ...(only.includes('kannel-file') ? [await kannelPeer('file')] : []),
  ...(only.includes('kannel-spool') ? [await kannelPeer('spool')] : []),
  ...(only.includes('smsgate') ? [await smsGatePeer({ program: smsGate, onStop })] : []),
]

/** Row by row, so that what is compared was measured within minutes. */
async function measure(
  peers: readonly (Peer | MissingPeer)[],
  chosen: readonly (keyof typeof rows)[],
  {
    lengths,
    generator,
    endAll,
  }: { lengths: VisitLengths; generator: LoadGenerator; endAll: () => Promise<void> },
): Promise<Measured> {
  const startedMs = performance.now()
  const elapsed = (): string => ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)
  const say = (text: string): void => void process.stderr.write(`${elapsed()} s  ${text}\n`)
  const flush = measureFlush()
  const host = await watchHost()
  const watched = watchDisturbance()
  const seen = new Map<Peer | MissingPeer, Seen[]>(peers.map((peer) => [peer, []]))
  try {
    for (const row of chosen)
      for (let round = 1; round <= lengths.rounds; round++) {
        for (const peer of peers) {
          if (isMissing(peer) || (rows[row].mode === 'life' && !peer.hasLives)) continue
          const found = await visit(peer, rows[row], { lengths, generator })
          seen.get(peer)?.push(found)
          say(`${row}, round ${round} of ${lengths.rounds}, ${peer.name}: ${JSON.stringify(found)}`)
        }
        await host.sample()
      }
    // What has ended counts as work of the bench, not of others.
    await endAll()
    return {
      machine: describeMachine(),
      host: describeHost(host.times()),
      flush,
      disturbance: watched.stop([generator.pid]),
      command: `npm run bench:peers -- ${process.argv.slice(2).join(' ')}`.trim().replace(/ --$/, ''),
      lengths,
      peers,
      rows: rowsOf(seen),
    }
  } finally {
    await host.remove()
  }
}

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new Error(`${option} must be a whole number from 1; it was '${text}'.`)
}

function namesOf(option: string, text: string, known: readonly string[]): string[] {
  const names = text.split(',')
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return names
  throw new Error(`${option} knows ${known.join(', ')}; it was '${text}'.`)
}

/** Processes end with this one (own-process.ts), but not when a signal ends it. */
function endOnSignals(): void {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}

await main()
