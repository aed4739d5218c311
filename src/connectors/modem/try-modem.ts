import { existsSync } from 'node:fs'
import type { Health } from '../health.ts'
import type { ConnectorTools, Trial } from '../connector-tools.ts'
import { modemFacts } from './facts.ts'
import { LineFault } from './line/line.ts'
import { connect } from './run/connection.ts'
import { NetworkWatch } from './run/network-watch.ts'
import type { ModemSettings } from './settings.ts'
import { bringUp, type BroughtUp } from './setup/bring-up.ts'

type Seen =
  | { kind: 'seen'; modem: BroughtUp; network: Health['network'] }
  | { kind: 'unopened'; reason: string; detail: string }

/** No PIN is tried here: one that is wrong may be marked as tried by the device that runs alone. */
const noPin = { pin: null, marks: { mark: () => Promise.resolve(false), unmark: () => Promise.resolve() } }

/** Makes a modem ready once, asks after its network, and closes the line; sends, reads and deletes no message. */
async function lookAt({ open, session }: ModemSettings, tools: ConnectorTools): Promise<Seen> {
  try {
    const { ask, close, ended } = await connect({
      tools,
      open,
      pauseMs: session.pauseMs,
      commandTimeoutMs: session.commandTimeoutMs,
      unsolicited: () => undefined,
    })
    try {
      const modem = await bringUp({ ask, tools, settings: session, ...noPin })
      const watch = new NetworkWatch({ ask, tools, settings: { ...session, recover: 'none' } })
      if (modem.kind === 'up') await watch.look()
      return { kind: 'seen', modem, network: watch.network }
    } finally {
      close()
      await ended
    }
  } catch (error) {
    const reason = error instanceof LineFault ? error.reason : 'port_failed'
    return { kind: 'unopened', reason, detail: (error as Error).message }
  }
}

/** Tests whether a modem answers and could send. */
export async function tryModem(
  settings: ModemSettings,
  tools: ConnectorTools,
  hasPin: boolean,
): Promise<Trial> {
  const seen = await lookAt(settings, tools)
  if (seen.kind === 'unopened') return failed(`The port cannot be opened: ${seen.detail}.`, seen.reason)
  const { modem, network } = seen
  const name = nameOf(modem)
  if (modem.kind === 'fault') {
    if (modem.fault === 'sim_pin' && hasPin)
      return { ok: true, summary: `${name} answers. Its SIM awaits the PIN, which the device enters once it runs.`, remedy: null } // prettier-ignore
    const summary = modem.fault === 'no_answer' ? 'The port is open, but no modem answers.' : `${name} answers, but cannot be used: ${modem.fault}.` // prettier-ignore
    return failed(summary, modem.fault)
  }
  if (!modem.hasServiceCentre) return failed(`${name} answers, but its SIM has no service centre.`, 'no_smsc')
  if (network?.registered === false) return failed(`${name} answers, but is in no network.`, 'not_registered')
  const { operator = null, signalDbm = null } = network ?? {}
  const signal = signalDbm === null ? '' : `, with ${signalDbm} dBm`
  return { ok: true, summary: `${name} is in the network ${operator ?? '(unnamed)'}${signal}.`, remedy: null } // prettier-ignore
}

const failed = (summary: string, reason: string): Trial => ({
  ok: false,
  summary,
  remedy: modemFacts.remedies[reason] ?? null,
})

function nameOf(seen: BroughtUp): string {
  const { maker, model } = seen.kind === 'up' ? seen : seen.identity
  const names = [maker, model].filter((name) => name !== null)
  return names.length === 0 ? 'The modem' : `The modem (${names.join(' ')})`
}

/**
 * Returns the settings that recognise a modem: its IMEI, the mark of its SIM, and for a port of this machine the name
 * of this node. Those that are set already stay; an unreachable modem has none.
 */
export async function identifyModem(
  settings: ModemSettings,
  tools: ConnectorTools,
  node: string | null,
): Promise<Record<string, string>> {
  const { path, node: wanted, session } = settings
  const isHere = path !== null && existsSync(path)
  const place = isHere && node !== null && wanted === null ? { node } : {}
  const seen = await lookAt(settings, tools)
  if (seen.kind === 'unopened') return place
  const { modem } = seen
  const { imei } = modem.kind === 'up' ? modem : modem.identity
  return {
    ...place,
    ...(session.imei === null && imei !== null && { imei }),
    ...(session.simMark === null && modem.simMark !== null && { sim_mark: modem.simMark }),
  }
}
