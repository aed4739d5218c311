import type { FoundPort, FoundPorts, PortDevices, ProbedPort } from '../../connectors/connector-tools.ts'
import { loadPortKind, type PortKind } from '../../connectors/port-kind.ts'
import { type Command, command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { describePorts } from './print-ports.ts'

/** Returns the command; `load` gives the kind whose ports it lists. */
export const createDiscover = (load: () => Promise<PortKind>): Command =>
  command({
    summary: "Lists this machine's serial ports with their steady paths, and the modems at them.",
    details:
      'Opens no port and writes nothing, unless --probe is given: it asks the modems who they are, and leaves ports alone that other programs have open. Ports of other makers are asked by --probe=all only, because AT does harm to some devices. On another node, run it there.',
    arguments: [],
    options: {
      probe: {
        type: 'text',
        value: 'WHAT',
        summary: 'Ask who is there: likely, for ports of makers of modems, or all.',
        choices: ['likely', 'all'],
        implied: 'likely',
      },
      udev: {
        type: 'flag',
        summary: 'Print rules for udev that keep ModemManager off these modems, in the place of the list.',
      },
    },
    async run(tools, { options }) {
      const { kind, ports: devices } = await load()
      const found = await devices.list()
      const asked = found.ports.filter(({ isLikely }) => isLikely || options.probe === 'all')
      const probed = options.probe === undefined ? [] : await devices.probe(asked, tools.clock)
      if (options.udev) return udevOutput(devices, modemsAmong(found, probed))
      return { json: documentOf(found, probed), text: describePorts(kind, found, probed).join('\n') }
    },
  })

export const discover = createDiscover(loadPortKind)

/** What is likely to be a modem, and what answered as one. */
const modemsAmong = ({ ports }: FoundPorts, probed: readonly ProbedPort[]): FoundPort[] => {
  const answered = new Set(probed.flatMap(({ port, maker }) => (maker === null ? [] : [port.deviceKey])))
  return ports.filter(({ isLikely, deviceKey }) => isLikely || answered.has(deviceKey))
}

function udevOutput(devices: PortDevices, modems: readonly FoundPort[]) {
  if (modems.length === 0) throw new UsageError('No modem was found, so there are no rules. Try --probe=all.')
  const rules = devices.udevRules(modems)
  return { json: { rules }, text: rules.trimEnd() }
}

function documentOf({ ports, withoutPort, knowsHolders }: FoundPorts, probed: readonly ProbedPort[]) {
  const usbDocument = (usb: FoundPort['usb']) =>
    usb && { vendor_id: usb.vendorId, product_id: usb.productId, maker: usb.maker, product: usb.product, interface: usb.interfaceNumber } // prettier-ignore
  return {
    ports: ports.map((port) => {
      const answer = probed.find((each) => each.port === port)
      return {
        path: port.path,
        node: port.node,
        steady: port.steadyBy !== null,
        driver: port.driver,
        usb: usbDocument(port.usb),
        likely: port.isLikely,
        held_by: port.heldBy,
        faults: port.faults,
        probe: answer === undefined ? null : probeDocument(answer),
      }
    }),
    without_port: withoutPort.map(({ vendorId, productId, maker, product, remedy }) => ({
      vendor_id: vendorId,
      product_id: productId,
      maker,
      product,
      remedy,
    })),
    knows_holders: knowsHolders,
  }
}

const probeDocument = (probed: ProbedPort) => ({
  fault: probed.fault,
  maker: probed.maker,
  model: probed.model,
  serial_end: probed.serialEnd,
  registered: probed.registered,
  operator: probed.operator,
  signal_dbm: probed.signalDbm,
})
