import type { UsbDevice } from './usb-files.ts'

type UsbNumbers = Pick<UsbDevice, 'vendorId' | 'productId'>

/** Makers of modems by their numbers at USB (usb.ids). Others make chips that anything may be connected to. */
const makers: ReadonlyMap<string, string> = new Map([
  ['12d1', 'Huawei'],
  ['1e0e', 'SIMCom'],
  ['2c7c', 'Quectel'],
  ['19d2', 'ZTE'],
  ['1199', 'Sierra Wireless'],
  ['05c6', 'Qualcomm'],
  ['1bc7', 'Telit'],
  ['1546', 'u-blox'],
])

/**
 * What these makers also make: satellite receivers of u-blox (01a5 to 01a9, as in the rules of gpsd), and a Qualcomm chip
 * that waits for new firmware (9008, left alone by ModemManager).
 */
const others: ReadonlySet<string> = new Set([
  '1546:01a5', '1546:01a6', '1546:01a7', '1546:01a8', '1546:01a9', '05c6:9008',
]) // prettier-ignore

/** Firmware that makes a stick a network card with a web page (HiLink of Huawei), without any port. */
const webSticks: ReadonlySet<string> = new Set(['12d1:14db', '12d1:14dc'])

/** Returns the maker of modems with this number; null for any other. */
export const makerOf = ({ vendorId }: Pick<UsbNumbers, 'vendorId'>): string | null =>
  makers.get(vendorId) ?? null

/** Returns whether a device is likely to be a modem: `AT` does harm to a printer or a Zigbee stick. */
export const isLikelyModem = ({ vendorId, productId }: UsbNumbers): boolean =>
  makers.has(vendorId) && !others.has(`${vendorId}:${productId}`)

/** Returns whether a stick has a web page in the place of ports. */
export const isWebStick = ({ vendorId, productId }: UsbNumbers): boolean =>
  webSticks.has(`${vendorId}:${productId}`)
