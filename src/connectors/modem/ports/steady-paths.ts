import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Roots } from './roots.ts'

/** The links of udev to a port: by what the device says about itself, and by where it is plugged in. */
export interface Links {
  byName: ReadonlyMap<string, string>
  bySocket: ReadonlyMap<string, string>
}

/** Reads the links below /dev/serial: paths by the node that each leads to. A machine without udev has none. */
export const readLinks = async ({ dev }: Pick<Roots, 'dev'>): Promise<Links> => ({
  byName: await linksIn(join(dev, 'serial/by-id')),
  bySocket: await linksIn(join(dev, 'serial/by-path')),
})

/** The first of several to the same node: newer versions of systemd add `-usbv2-` to each `-usb-`. */
async function linksIn(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of await readdir(folder).then(
    (all) => all.toSorted(byCodeUnits),
    () => [],
  )) {
    const path = join(folder, name)
    const node = await realpath(path).catch(() => null)
    if (node !== null && !found.has(node)) found.set(node, path)
  }
  return found
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : 1)

/**
 * Returns the path that stays the same after replugging. Devices without a serial number (all CH340 and PL2303, many
 * sticks) have the same name, and udev links it to the last one: where another port is `alike`, the socket decides.
 */
export function steadyPath(
  { byName, bySocket }: Links,
  { node, isAlike }: { node: string; isAlike: boolean },
): { path: string; steadyBy: 'name' | 'socket' | null } {
  const [name, socket] = [byName.get(node), bySocket.get(node)]
  if (name !== undefined && !isAlike) return { path: name, steadyBy: 'name' }
  if (socket !== undefined) return { path: socket, steadyBy: 'socket' }
  return { path: node, steadyBy: null }
}
