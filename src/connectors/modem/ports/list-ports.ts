import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FoundPort, FoundPorts } from '../../connector-tools.ts'
import { findHolders, type Holder } from './holders.ts'
import { accessFault, heldFault } from './port-faults.ts'
import { ownUser, type PortUser } from './port-users.ts'
import { machineRoots, type Roots } from './roots.ts'
import { readLinks, steadyPath } from './steady-paths.ts'
import { readAttribute, readUsbDevice, type UsbDevice, usbDeviceOf } from './usb-files.ts'
import { isLikelyModem, isWebStick, makerOf } from './vendors.ts'

/** More than any machine has; the rest is not listed. */
const maxPorts = 1_024
/** A bound port of Bluetooth connects its device when it is opened. */
const connectsWhenOpened = /^rfcomm/
/** PORT_UNKNOWN of the kernel's serial_core.h: a place for a UART that is not there. */
const noUart = '0'

/** A port as the kernel has it. */
interface TtyPort {
  name: string
  driver: string | null
  usb: { device: UsbDevice; interfaceNumber: number | null } | null
  /** Equal for two ports to which udev gives the same name. */
  identity: string
}

interface Given {
  roots?: Roots
  /** Whose permissions count; omitted: those of this process. */
  user?: PortUser
  /** This process, which holds its own ports rightly. */
  ownPid?: number
}

/**
 * Lists the serial ports of this machine by the files of Linux, since `udevadm` is missing in containers. Opens none of
 * them: some devices act on every octet.
 */
export async function listPorts({
  roots = machineRoots,
  user = ownUser(),
  ownPid,
}: Given = {}): Promise<FoundPorts> {
  const ttys = await readTtys(roots)
  const links = await readLinks(roots)
  const nodes = await Promise.all(ttys.map(({ name }) => realpath(join(roots.dev, name)).catch(() => join(roots.dev, name)))) // prettier-ignore
  const { byPath, isComplete } = await findHolders(roots, nodes, ownPid)
  const ports: FoundPort[] = []
  for (const [index, tty] of ttys.entries()) {
    const real = nodes[index] as string
    const isAlike = ttys.some((other) => other !== tty && other.identity === tty.identity)
    const steady = steadyPath(links, { node: real, isAlike })
    const node = join(roots.dev, tty.name)
    const heldBy = byPath.get(real) ?? []
    const { device, interfaceNumber = null } = tty.usb ?? {}
    ports.push({
      ...(steady.steadyBy === null ? { path: node, steadyBy: null } : steady),
      node,
      driver: tty.driver,
      usb: device === undefined ? null : { ...factsOf(device), interfaceNumber },
      deviceKey: device?.folder ?? node,
      isLikely: device !== undefined && isLikelyModem(device),
      heldBy,
      faults: await faultsOf(roots, { node, heldBy, user }),
    })
  }
  return { ports, withoutPort: await readPortless(roots, ports), knowsHolders: isComplete }
}

const factsOf = ({ vendorId, productId, maker, product }: UsbDevice) => ({
  vendorId,
  productId,
  maker,
  product,
})

/** The ports of hardware: consoles and pseudo-terminals have no device. */
async function readTtys({ sys }: Roots): Promise<TtyPort[]> {
  const folder = join(sys, 'class/tty')
  const ttys: TtyPort[] = []
  const names = (await readdir(folder).catch(() => [])).filter((name) => !connectsWhenOpened.test(name))
  for (const name of names.toSorted(byNumber).slice(0, maxPorts)) {
    const device = await realpath(join(folder, name, 'device')).catch(() => null)
    if (device === null || (await readAttribute(join(folder, name), 'type')) === noUart) continue
    const driver = await realpath(join(device, 'driver')).then(basename, () => null)
    const usb = await usbDeviceOf(device)
    const { vendorId, productId, maker, product, serial } = usb?.device ?? {}
    const place = [usb?.interfaceNumber, await readAttribute(device, 'port_number')]
    const identity =
      usb === null ? device : JSON.stringify([vendorId, productId, maker, product, serial, ...place])
    ttys.push({ name, driver, usb, identity })
  }
  return ttys
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

async function faultsOf(
  roots: Roots,
  { node, heldBy, user }: { node: string; heldBy: readonly Holder[]; user: PortUser },
): Promise<FoundPort['faults']> {
  const file = await stat(node).catch(() => null)
  if (file === null)
    return [{ reason: 'port_missing', detail: `The kernel has it, but there is no ${node} here: this container, or service of systemd, has no access to devices.` }] // prettier-ignore
  return [...(await accessFault(roots, file, user)), ...heldFault(heldBy)]
}

/** Sticks of makers of modems to which no port belongs. */
async function readPortless({ sys }: Roots, ports: readonly FoundPort[]): Promise<FoundPorts['withoutPort']> {
  const folder = join(sys, 'bus/usb/devices')
  const taken = new Set(ports.map(({ deviceKey }) => deviceKey))
  const found: FoundPorts['withoutPort'][number][] = []
  for (const name of (await readdir(folder).catch(() => [])).toSorted(byNumber)) {
    const device = await realpath(join(folder, name)).then(readUsbDevice, () => null)
    if (device === null || makerOf(device) === null || !isLikelyModem(device) || taken.has(device.folder))
      continue
    found.push({ ...factsOf(device), remedy: isWebStick(device) ? webStick : noPort })
  }
  return found
}

const webStick =
  'Its firmware (HiLink) makes it a network card with a web page, without a port. It needs the firmware for sticks, or another stick.'
const noPort =
  'It has no port now. It may still be in its mode of a CD drive, which usb_modeswitch ends, in that of a network card (QMI, MBIM), or without the driver option.'
