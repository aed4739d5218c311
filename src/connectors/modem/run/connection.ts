import type { ConnectorTools } from '../../connector-tools.ts'
import { type Ask, askerOf } from '../at/ask.ts'
import { AtChannel } from '../at/at-channel.ts'
import type { AtLine } from '../at/at-command.ts'
import type { Line, LineFault, OpenLine } from '../line/line.ts'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule'>
  open: OpenLine
  pauseMs: number
  commandTimeoutMs: number
  unsolicited(line: AtLine): void
  trace?: (direction: 'sent' | 'received', text: string) => void
}

/** One open line to a modem, from its opening to its end. */
export interface Connection {
  channel: AtChannel
  ask: Ask
  /** Settles with the reason once the line is closed, by either side. */
  ended: Promise<LineFault>
  close(): void
}

/** Opens a line to a modem; rejects with a LineFault. */
export async function connect({ tools, open, ...deps }: Deps): Promise<Connection> {
  let end: (fault: LineFault) => void = () => undefined
  const ended = new Promise<LineFault>((resolve) => (end = resolve))
  let line: Line | null = null
  const channel = new AtChannel({
    ...deps,
    tools,
    write: (octets) =>
      line === null ? Promise.reject(new Error('The line is not open.')) : line.write(octets),
  })
  line = await open({
    data: (octets) => channel.received(octets),
    closed: (fault) => {
      channel.closed()
      end(fault)
    },
  })
  return { channel, ask: askerOf(channel, deps.commandTimeoutMs), ended, close: () => line.close() }
}
