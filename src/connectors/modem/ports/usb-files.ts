import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withoutControls } from '../../../runtime/plain-text.ts'

/** What the kernel knows about a USB device, from its descriptors; null where they do not say it. */
export interface UsbDevice {
  /** Of sysfs. */
  folder: string
  /** Four hexadecimal digits, lower case. */
  vendorId: string
  productId: string
  maker: string | null
  product: string | null
  serial: string | null
}

/** Longer than any value that is read here. */
const maxLetters = 200
/** A port is at most a few hubs away from its controller. */
const maxLevels = 16

/** Returns an attribute of sysfs as text, fit for a terminal: a device writes what it likes there. Null where there is none, or it is empty. */
export async function readAttribute(folder: string, name: string): Promise<string | null> {
  try {
    const text = withoutControls(await readFile(join(folder, name), 'utf8'))
      .trim()
      .slice(0, maxLetters)
    return text === '' ? null : text
  } catch {
    return null
  }
}

/** Returns the USB device at this folder of sysfs; null where it is another one. */
export async function readUsbDevice(folder: string): Promise<UsbDevice | null> {
  const [vendorId, productId] = [await readAttribute(folder, 'idVendor'), await readAttribute(folder, 'idProduct')] // prettier-ignore
  if (vendorId === null || productId === null) return null
  return {
    folder,
    vendorId: vendorId.toLowerCase(),
    productId: productId.toLowerCase(),
    maker: await readAttribute(folder, 'manufacturer'),
    product: await readAttribute(folder, 'product'),
    serial: await readAttribute(folder, 'serial'),
  }
}

/**
 * Returns the USB device that a port belongs to, and the number of its interface; null for a port of another bus. The
 * folders above that of a port are those of the interface, the device, and the hubs that it is connected to.
 */
export async function usbDeviceOf(
  portFolder: string,
): Promise<{ device: UsbDevice; interfaceNumber: number | null } | null> {
  let interfaceNumber: number | null = null
  let folder = portFolder
  for (let level = 0; level < maxLevels && folder !== dirname(folder); level++) {
    const number = await readAttribute(folder, 'bInterfaceNumber')
    if (number !== null && /^[0-9a-f]{2}$/i.test(number)) interfaceNumber = Number.parseInt(number, 16)
    const device = await readUsbDevice(folder)
    if (device !== null) return { device, interfaceNumber }
    folder = dirname(folder)
  }
  return null
}
