import type { ConnectorTools, FoundPort, ProbedPort } from '../../connector-tools.ts'
import { withoutControls } from '../../../runtime/plain-text.ts'
import { LineFault, type OpenLine } from '../line/line.ts'
import { serialLine } from '../line/serial-line.ts'
import { type Connection, connect } from '../run/connection.ts'
import { readIdentity } from '../setup/identity.ts'
import { readSimState, type SimState } from '../setup/pin.ts'
import { readOperator, readRegistration, readSignal } from '../setup/registration.ts'

type Tools = Pick<ConnectorTools, 'monotonicMs' | 'schedule'>

export interface ProbeDeps {
  tools: Tools
  /** How a port is opened. */
  lineTo?: (path: string) => OpenLine
}

/** What a modem that was just plugged in may take; one that is not there is asked five times. */
const commandTimeoutMs = 2_000
const pauseMs = 100
/** Ignored by USB; what most modems at a UART start with. */
const baudRate = 115_200
const usualLine = (path: string): OpenLine => serialLine({ path, baudRate })

/**
 * Asks the devices at these ports who they are; devices at the same time, and the ports of each in turn: of several
 * the lowest interface that takes PDU mode is for messages. Enters no PIN. Ports with faults are not opened.
 */
export async function probePorts(ports: readonly FoundPort[], deps: ProbeDeps): Promise<ProbedPort[]> {
  const devices = new Map<string, FoundPort[]>()
  for (const port of ports) devices.set(port.deviceKey, [...(devices.get(port.deviceKey) ?? []), port])
  return Promise.all(Array.from(devices.values(), (ofDevice) => probeDevice(ofDevice, deps)))
}

/** What another port of the same device may not have, from what says most to what says least. */
const portFaults: readonly string[] = [
  'no_pdu_mode', 'port_in_use', 'port_denied', 'no_answer', 'port_failed', 'port_missing',
] // prettier-ignore
const rankOf = ({ fault }: ProbedPort): number => portFaults.indexOf(fault ?? '')

async function probeDevice(ports: readonly FoundPort[], deps: ProbeDeps): Promise<ProbedPort> {
  const inTurn = ports.toSorted((a, b) => (a.usb?.interfaceNumber ?? 0) - (b.usb?.interfaceNumber ?? 0))
  const unusable: ProbedPort[] = []
  for (const port of inTurn) {
    const probed = await probePort(port, deps)
    if (rankOf(probed) < 0) return probed
    unusable.push(probed)
  }
  return unusable.toSorted((a, b) => rankOf(a) - rankOf(b))[0] as ProbedPort
}

async function probePort(port: FoundPort, { tools, lineTo = usualLine }: ProbeDeps): Promise<ProbedPort> {
  const [known] = port.faults
  if (known !== undefined) return unknown(port, known.reason)
  let connection: Connection | null = null
  try {
    connection = await connect({ tools, open: lineTo(port.path), pauseMs, commandTimeoutMs, unsolicited: () => undefined }) // prettier-ignore
    return await ask(port, connection, tools)
  } catch (error) {
    if (error instanceof LineFault) return unknown(port, error.reason)
    throw error
  } finally {
    connection?.close()
  }
}

async function ask(port: FoundPort, { ask: asked }: Connection, tools: Tools): Promise<ProbedPort> {
  const { kind } = await asked('AT')
  if (kind === 'timeout' || kind === 'closed') return unknown(port, 'no_answer')
  await asked('AT+CMEE=1')
  const { maker, model, imei } = await readIdentity(asked)
  const sim = await readSimState({ ask: asked, tools })
  const named = {
    ...unknown(port, simFaults[sim]),
    maker: plain(maker),
    model: plain(model),
    serialEnd: imei?.slice(-4) ?? null,
  }
  // Most modems refuse the rest before the PIN.
  if (simFaults[sim] !== null) return named
  if ((await asked('AT+CMGF=0')).kind !== 'ok') return { ...named, fault: 'no_pdu_mode' }
  const { registered } = await readRegistration(asked)
  const [signalDbm, operator] = [await readSignal(asked), await readOperator(asked)]
  return {
    ...named,
    registered,
    signalDbm,
    operator: plain(operator),
    fault: registered === false ? 'not_registered' : null,
  }
}

/** Fit for a terminal: octets of a line are Latin-1, which has control characters of its own. */
const plain = (text: string | null): string | null => (text === null ? null : withoutControls(text))

const simFaults: Readonly<Record<SimState, string | null>> = {
  ready: null,
  unnamed: null,
  pin: 'sim_pin',
  no_sim: 'no_sim',
  sim_failed: 'sim_failed',
  sim_busy: 'sim_busy',
  sim_puk: 'sim_puk',
}

const unknown = (port: FoundPort, fault: string | null): ProbedPort => ({
  port,
  fault,
  maker: null,
  model: null,
  serialEnd: null,
  operator: null,
  signalDbm: null,
  registered: null,
})
