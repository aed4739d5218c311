import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Roots } from '../../src/connectors/modem/ports/roots.ts'

/** A USB device as sysfs has it, and its ports. */
export interface UsbDeviceFiles {
  /** Below /sys, without the interface: `devices/pci0000:00/0000:00:1d.0/usb2/2-1/2-1.3`. */
  folder: string
  vendorId: string
  productId: string
  maker?: string
  product?: string
  serial?: string
  ports?: readonly {
    tty: string
    interfaceNumber: number
    driver: string
    /** Links of udev, by their names. */
    byId?: string
    byPath?: string | readonly string[]
  }[]
}

/** The folders of a machine whose files a test makes up. All are removed with the test. */
export interface MadeUpMachine {
  roots: Roots
  addUsb(device: UsbDeviceFiles): void
  /** A UART of the board; a `type` of 0 has none. */
  addUart(tty: string, folder: string, type: string): void
  /** A process that has these paths open. */
  addProcess(pid: number, program: string, paths: readonly string[]): void
  write(path: string, text: string): void
}

/** Makes /dev, /sys, /proc and /etc in a temporary folder. A port is an empty file, unless `nodeOf` names what it is a link to. */
export function makeUpMachine(nodeOf: (tty: string) => string | null = () => null): MadeUpMachine {
  // Links are compared resolved.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'onesixty-machine-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const roots: Roots = { dev: join(root, 'dev'), sys: join(root, 'sys'), proc: join(root, 'proc'), etc: join(root, 'etc'), run: join(root, 'run') } // prettier-ignore
  for (const folder of Object.values(roots)) mkdirSync(folder)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const link = (path: string, target: string): void => {
    const from = join(root, path)
    mkdirSync(dirname(from), { recursive: true })
    symlinkSync(relative(dirname(from), join(root, target)), from)
  }
  const addNode = (tty: string): void => {
    const target = nodeOf(tty)
    if (target === null) write(`dev/${tty}`, '')
    else symlinkSync(target, join(roots.dev, tty))
  }
  const addTty = (tty: string, ttyFolder: string, deviceFolder: string, driver: string): void => {
    mkdirSync(join(root, 'sys', ttyFolder), { recursive: true })
    link(`sys/${ttyFolder}/device`, `sys/${deviceFolder}`)
    link(`sys/class/tty/${tty}`, `sys/${ttyFolder}`)
    mkdirSync(join(root, 'sys/bus/drivers', driver), { recursive: true })
    link(`sys/${deviceFolder}/driver`, `sys/bus/drivers/${driver}`)
    addNode(tty)
  }
  return {
    roots,
    write,
    addUsb({ folder, ports = [], ...device }) {
      const attributes = { idVendor: device.vendorId, idProduct: device.productId, manufacturer: device.maker, product: device.product, serial: device.serial } // prettier-ignore
      for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) write(`sys/${folder}/${name}`, `${value}\n`)
      link(`sys/bus/usb/devices/${basename(folder)}`, `sys/${folder}`)
      for (const { tty, interfaceNumber, driver, byId, byPath } of ports) {
        const ofInterface = `${folder}/${basename(folder)}:1.${interfaceNumber}`
        write(`sys/${ofInterface}/bInterfaceNumber`, `${interfaceNumber.toString(16).padStart(2, '0')}\n`)
        // Ports of usb-serial are a level below their interface; those of cdc_acm are the interface.
        if (driver === 'cdc_acm') addTty(tty, `${ofInterface}/tty/${tty}`, ofInterface, driver)
        else {
          write(`sys/${ofInterface}/${tty}/port_number`, '0\n')
          addTty(tty, `${ofInterface}/${tty}/tty/${tty}`, `${ofInterface}/${tty}`, driver)
        }
        // udev links a name that several ports have to the last one.
        if (byId !== undefined) rmSync(join(root, 'dev/serial/by-id', byId), { force: true })
        if (byId !== undefined) link(`dev/serial/by-id/${byId}`, `dev/${tty}`)
        for (const name of [byPath ?? []].flat()) link(`dev/serial/by-path/${name}`, `dev/${tty}`)
      }
    },
    addUart(tty, folder, type) {
      addTty(tty, `${folder}/tty/${tty}`, folder, 'serial8250')
      write(`sys/${folder}/tty/${tty}/type`, `${type}\n`)
    },
    addProcess(pid, program, paths) {
      write(`proc/${pid}/comm`, `${program}\n`)
      mkdirSync(join(root, `proc/${pid}/fd`), { recursive: true })
      for (const [index, path] of paths.entries()) symlinkSync(path, join(root, `proc/${pid}/fd/${index}`))
    },
  }
}
