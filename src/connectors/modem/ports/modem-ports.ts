import type { FoundPorts, PortDevices } from '../../connector-tools.ts'
import { listSerialPorts } from '../line/serial-line.ts'
import { examinePort } from './examine-port.ts'
import { listPorts } from './list-ports.ts'
import { probePorts } from './probe-ports.ts'
import { udevRules } from './udev-rules.ts'
import { isLikelyModem } from './vendors.ts'

/** The ports of this machine: Linux has files about them, elsewhere the system is asked. */
export const modemPorts: PortDevices = {
  list: () => (process.platform === 'linux' ? listPorts() : listNamed()),
  probe: (ports, tools) => probePorts(ports, { tools }),
  examine: async (given) => (process.platform === 'linux' ? examinePort(given) : []),
  udevRules,
}

/** Names such as COM5 or /dev/tty.usbmodem1 stay with their device; who has a port open shows when it is opened. */
async function listNamed(): Promise<FoundPorts> {
  const named = await listSerialPorts()
  const ports = named.map(({ path, vendorId, productId, maker }) => {
    const usb = vendorId === null || productId === null ? null : { vendorId, productId, maker, product: null, interfaceNumber: null } // prettier-ignore
    return {
      path,
      steadyBy: 'name' as const,
      node: path,
      driver: null,
      usb,
      deviceKey: path,
      isLikely: usb !== null && isLikelyModem(usb),
      heldBy: [],
      faults: [],
    }
  })
  return { ports, withoutPort: [], knowsHolders: false }
}
