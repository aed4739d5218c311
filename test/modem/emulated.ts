import { onTestFinished } from 'vitest'
import { type Ask, askerOf } from '../../src/connectors/modem/at/ask.ts'
import { AtChannel } from '../../src/connectors/modem/at/at-channel.ts'
import type { AtLine } from '../../src/connectors/modem/at/at-command.ts'
import { tcpLine } from '../../src/connectors/modem/line/tcp-line.ts'
import { type AtModemControl, type AtModemOptions, startAtModem } from '../peers/at-modem-control.ts'

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

/** Starts a modem of its own, and opens a line to it. */
export async function openEmulated(options: Omit<AtModemOptions, 'count'> = {}): Promise<Emulated> {
  const modem = await startAtModem(options)
  onTestFinished(() => modem.stop())
  // A SIM800 loses what comes within 20 ms of an answer.
  const pauseMs = options.profile === 'simcom' ? 25 * haste : 0
  return { modem, ...(await connectTo(modem, pauseMs)) }
}

/** Opens another line to it, as after a restart of the connector. */
export async function connectTo(modem: AtModemControl, pauseMs = 0): Promise<Omit<Emulated, 'modem'>> {
  const unsolicited: AtLine[] = []
  const tools = {
    monotonicMs: () => performance.now() * haste,
    schedule: (delayMs: number, task: () => void) => {
      const timer = setTimeout(task, delayMs / haste)
      return () => clearTimeout(timer)
    },
  }
  const line = await tcpLine({ host: modem.host, port: modem.port, isTelnet: false })({
    data: (octets) => channel.received(octets),
    closed: () => channel.closed(),
  })
  onTestFinished(() => line.close())
  const channel = new AtChannel({
    tools,
    write: (octets) => line.write(octets),
    unsolicited: (said) => unsolicited.push(said),
    pauseMs,
    // A busy machine must not look like a silent modem.
    commandTimeoutMs: 5_000 * haste,
  })
  return { channel, ask: askerOf(channel, 5_000 * haste), tools, unsolicited }
}
