import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FoundPort } from '../../connector-tools.ts'
import { findHolders, isRunning } from './holders.ts'
import { accessFault, heldFault } from './port-faults.ts'
import { userById } from './port-users.ts'
import { machineRoots, type Roots } from './roots.ts'
import { readAttribute } from './usb-files.ts'

/** Tags of udev with which ModemManager leaves a device, or a port, alone. */
const ignored = /^E:ID_MM_(?:DEVICE|PORT)_IGNORE=1$/m

/**
 * Returns what keeps a server that runs as this user from using a port, by the path that a device has: it is not there,
 * may not be opened, is open in another program, or ModemManager may probe it. Opens nothing.
 */
export async function examinePort(
  { path, uid }: { path: string; uid: number },
  roots: Roots = machineRoots,
): Promise<FoundPort['faults']> {
  const node = await realpath(path).catch(() => null)
  const file = node === null ? null : await stat(node).catch(() => null)
  if (node === null || file === null) return [{ reason: 'port_missing', detail: `There is no ${path}.` }]
  const { byPath } = await findHolders(roots, [node])
  return [
    ...(await accessFault(roots, file, await userById(roots, uid))),
    ...heldFault(byPath.get(node) ?? []),
    ...(await isProbed(roots, node) ? [{ reason: 'port_probed', detail: 'ModemManager runs, and no rule of udev keeps it off the port.' }] : []),
  ] // prettier-ignore
}

/** The database of udev has what its rules said about a device, by its numbers. */
async function isProbed(roots: Roots, node: string): Promise<boolean> {
  const numbers = await readAttribute(join(roots.sys, 'class/tty', basename(node)), 'dev')
  if (numbers === null || !(await isRunning(roots, 'ModemManager'))) return false
  const known = await readFile(join(roots.run, 'udev/data', `c${numbers}`), 'utf8').catch(() => null)
  return known !== null && !ignored.test(known)
}
