import { onTestFinished } from 'vitest'
import type { Ask } from '../../src/connectors/modem/at/ask.ts'
import type { AtChannel } from '../../src/connectors/modem/at/at-channel.ts'
import type { AtLine } from '../../src/connectors/modem/at/at-command.ts'
import { tcpLine } from '../../src/connectors/modem/line/tcp-line.ts'
import { connect } from '../../src/connectors/modem/run/connection.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import { type ModemOptions, startPooledModem } from '../at-modem/modem-pool.ts'

/** A channel to an emulated modem, and the levers of that. */
export interface Emulated {
  modem: AtModemControl
  channel: AtChannel
  ask: Ask
  tools: { monotonicMs(): number; schedule(delayMs: number, task: () => void): () => void }
  unsolicited: AtLine[]
}

/** Waits of the connector are this much shorter: the emulator answers at once. */
const haste = 20

/** A clock that is that much faster. */
export const hastyTools: Emulated['tools'] = {
  monotonicMs: () => performance.now() * haste,
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, delayMs / haste)
    return () => clearTimeout(timer)
  },
}

/** Starts a modem of its own, and opens a line to it. */
export async function openEmulated(options: ModemOptions = {}): Promise<Emulated> {
  // A SIM800 loses what comes within 20 ms of what it says, and it says by itself that it is ready.
  const isDeaf = options.profile === 'simcom'
  const identity = { ...(isDeaf && { readyAfterMs: 0 }), ...options.settings?.identity }
  const modem = await startPooledModem('machine', { ...options, settings: { ...options.settings, identity } })
  const pauseMs = isDeaf ? 25 * haste : 0
  return { modem, ...(await connectTo(modem, pauseMs)) }
}

/** Opens another line to it, as after a restart of the connector. */
export async function connectTo(modem: AtModemControl, pauseMs = 0): Promise<Omit<Emulated, 'modem'>> {
  const unsolicited: AtLine[] = []
  const tools = hastyTools
  const connection = await connect({
    tools,
    open: tcpLine({ host: modem.host, port: modem.port, isTelnet: false }),
    pauseMs,
    // A busy machine must not look like a silent modem.
    commandTimeoutMs: 5_000 * haste,
    unsolicited: (said) => unsolicited.push(said),
  })
  onTestFinished(() => connection.close())
  return { channel: connection.channel, ask: connection.ask, tools, unsolicited }
}
