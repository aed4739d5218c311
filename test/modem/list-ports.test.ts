import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FoundPort } from '../../src/connectors/connector-tools.ts'
import { examinePort } from '../../src/connectors/modem/ports/examine-port.ts'
import { listPorts } from '../../src/connectors/modem/ports/list-ports.ts'
import { mayOpen, userById } from '../../src/connectors/modem/ports/port-users.ts'
import { udevRules } from '../../src/connectors/modem/ports/udev-rules.ts'
import { type MadeUpMachine, makeUpMachine } from './made-up-machine.ts'
import { module, motor, stick, twins, webStick } from './usb-captures.ts'

const root = { uid: 0, gids: [0] }
const portsOf = async ({ roots }: MadeUpMachine, user = root): Promise<readonly FoundPort[]> =>
  (await listPorts({ roots, user })).ports
const pathsOf = async (machine: MadeUpMachine): Promise<string[]> =>
  (await portsOf(machine)).map(({ path }) => path.slice(machine.roots.dev.length))

describe('2: which path stays the same', () => {
  test('a stick with a serial number is named by what it says about itself', async () => {
    const machine = makeUpMachine()
    machine.addUsb(stick)
    expect(await portsOf(machine)).toMatchObject([
      { driver: 'option1', steadyBy: 'name', isLikely: true, faults: [], usb: { vendorId: '12d1', productId: '15b6', interfaceNumber: 0 } },
      { usb: { maker: 'HUAWEI_MOBILE', product: 'HUAWEI_MOBILE', interfaceNumber: 1 } },
    ]) // prettier-ignore
    expect(await pathsOf(machine)).toEqual([
      '/serial/by-id/usb-HUAWEI_MOBILE_HUAWEI_MOBILE_0123456789ABCDEF-if00-port0',
      '/serial/by-id/usb-HUAWEI_MOBILE_HUAWEI_MOBILE_0123456789ABCDEF-if01-port0',
    ])
  })

  test('two devices with one name are told apart by their sockets', async () => {
    const machine = makeUpMachine()
    for (const device of twins) machine.addUsb(device)
    expect(await pathsOf(machine)).toEqual([
      '/serial/by-path/platform-1c14000.usb-usb-0:1.2:1.0-port0',
      '/serial/by-path/platform-1c14000.usb-usb-0:1.5:1.0-port0',
    ])
    expect((await portsOf(machine)).map(({ steadyBy }) => steadyBy)).toEqual(['socket', 'socket'])
  })

  test('one of them alone keeps its name', async () => {
    const machine = makeUpMachine()
    machine.addUsb(twins[0] as (typeof twins)[number])
    expect((await pathsOf(machine))[0]).toContain('/serial/by-id/usb-Prolific')
  })

  test('of two names for one socket the one of all versions of udev is taken', async () => {
    const machine = makeUpMachine()
    machine.addUsb(module)
    machine.addUsb({ ...module, folder: `${module.folder.slice(0, -3)}1-8`, ports: [] })
    rmSync(join(machine.roots.dev, 'serial/by-id'), { recursive: true })
    expect((await pathsOf(machine))[2]).toBe('/serial/by-path/pci-0000:00:14.0-usb-0:7:1.2-port0')
  })

  test('a name that udev did not make, as systemd 252 of Debian 12, is replaced by the socket', async () => {
    // https://github.com/systemd/systemd/issues/25238
    const machine = makeUpMachine()
    machine.addUsb(stick)
    rmSync(join(machine.roots.dev, 'serial/by-id'), { recursive: true })
    expect((await pathsOf(machine))[1]).toBe('/serial/by-path/pci-0000:00:1d.0-usb-0:1.3:1.1-port0')
  })

  test('without udev, as in a container, a port has only the name that may change', async () => {
    const machine = makeUpMachine()
    machine.addUsb(motor)
    expect(await portsOf(machine)).toMatchObject([
      { path: join(machine.roots.dev, 'ttyACM1'), steadyBy: null, driver: 'cdc_acm', isLikely: false, usb: { interfaceNumber: 0 } },
    ]) // prettier-ignore
  })
})

describe('what is listed', () => {
  test('a UART that is there, and no place for one, no console, no Bluetooth', async () => {
    const machine = makeUpMachine()
    // ttyS0 and ttyS11 as in https://github.com/systemd/systemd/issues/33242; 4 is PORT_16550A, 0 PORT_UNKNOWN.
    machine.addUart('ttyS0', 'devices/pnp0/00:02/00:02:0/00:02:0.0', '4')
    machine.addUart('ttyS11', 'devices/platform/serial8250/serial8250:0/serial8250:0.11', '0')
    machine.addUart('rfcomm0', 'devices/virtual/bluetooth/hci0/rfcomm', '4')
    machine.write('sys/class/tty/tty1/active', '')
    expect(await portsOf(machine)).toMatchObject([
      { node: join(machine.roots.dev, 'ttyS0'), usb: null, driver: 'serial8250', isLikely: false },
    ])
  })

  test('ports in the order of their numbers', async () => {
    const machine = makeUpMachine()
    machine.addUsb(module)
    machine.addUsb(stick)
    const nodes = (await portsOf(machine)).map(({ node }) => node.slice(machine.roots.dev.length + 1))
    expect(nodes).toEqual(['ttyUSB0', 'ttyUSB1', 'ttyUSB10', 'ttyUSB11', 'ttyUSB12', 'ttyUSB13'])
  })

  test('30: a stick with a web page in the place of ports, and what to do about it', async () => {
    const machine = makeUpMachine()
    machine.addUsb(webStick)
    machine.addUsb(stick)
    const { withoutPort } = await listPorts({ roots: machine.roots, user: root })
    expect(withoutPort).toMatchObject([
      { vendorId: '12d1', productId: '14dc', remedy: expect.stringContaining('HiLink') },
    ])
  })

  test('a stick that is still a CD drive', async () => {
    const machine = makeUpMachine()
    // 12d1:1446 is a Huawei E1552 before usb_modeswitch; two interfaces of mass storage (supermanhamuerto.com, "huaweihspamodem").
    machine.addUsb({
      folder: 'devices/pci0000:00/0000:00:14.0/usb1/1-2',
      vendorId: '12d1',
      productId: '1446',
    })
    const { withoutPort } = await listPorts({ roots: machine.roots, user: root })
    expect(withoutPort).toMatchObject([
      { productId: '1446', remedy: expect.stringContaining('usb_modeswitch') },
    ])
  })

  test('no satellite receiver of a maker of modems is likely to be one', async () => {
    const machine = makeUpMachine()
    // 1546:01a8 is a u-blox 8, in the rules of gpsd.
    machine.addUsb({ ...motor, vendorId: '1546', productId: '01a8' })
    expect((await portsOf(machine)).map(({ isLikely }) => isLikely)).toEqual([false])
  })

  test('a machine without sysfs has none', async () => {
    const machine = makeUpMachine()
    rmSync(machine.roots.sys, { recursive: true })
    expect(await listPorts({ roots: machine.roots })).toMatchObject({ ports: [], withoutPort: [] })
  })
})

describe('1: what is wrong with a port', () => {
  test('another program has it open, and this process is none', async () => {
    const machine = makeUpMachine()
    machine.addUsb(stick)
    const [held, other] = [join(machine.roots.dev, 'ttyUSB0'), join(machine.roots.dev, 'ttyUSB1')]
    machine.addProcess(712, 'ModemManager', ['/dev/null', held, held])
    machine.addProcess(4_242, 'node', [other])
    const { ports, knowsHolders } = await listPorts({ roots: machine.roots, user: root, ownPid: 4_242 })
    expect(ports).toMatchObject([
      { heldBy: [{ pid: 712, program: 'ModemManager' }], faults: [{ reason: 'port_in_use', detail: 'It is open in ModemManager (process 712).' }] },
      { heldBy: [], faults: [] },
    ]) // prettier-ignore
    expect(knowsHolders).toBe(true)
  })

  test('this user is not in the group of the port', async () => {
    const machine = makeUpMachine()
    machine.addUsb(stick)
    chmodSync(join(machine.roots.dev, 'ttyUSB0'), 0o660)
    machine.write('etc/group', `tty:x:5:\ndialout:x:${process.getgid?.() ?? 0}:\n`)
    const [port] = await portsOf(machine, { uid: 4_711, gids: [4_711] })
    expect(port?.faults).toEqual([
      { reason: 'port_denied', detail: 'Only the group dialout can use it, and user 4711 is not in it.' },
    ])
    expect((await portsOf(machine, { uid: 4_711, gids: [process.getgid?.() ?? 0] }))[0]?.faults).toEqual([])
  })

  test('the kernel has it, but the folder of devices does not', async () => {
    const machine = makeUpMachine()
    machine.addUsb(stick)
    rmSync(join(machine.roots.dev, 'ttyUSB0'))
    const [port] = await portsOf(machine)
    expect(port).toMatchObject({
      path: join(machine.roots.dev, 'ttyUSB0'),
      faults: [{ reason: 'port_missing' }],
    })
  })

  test('groups of a user are those of passwd and of group', async () => {
    const machine = makeUpMachine()
    machine.write(
      'etc/passwd',
      'root:x:0:0::/root:/bin/sh\nonesixty:x:998:997::/var/lib/onesixty:/usr/sbin/nologin\n',
    )
    machine.write('etc/group', 'root:x:0:\ndialout:x:20:ada,onesixty\ntty:x:5:onesixtyone\n')
    expect(await userById(machine.roots, 998)).toEqual({ uid: 998, gids: [997, 20] })
    expect(await userById(machine.roots, 1)).toEqual({ uid: 1, gids: [] })
  })

  test.each([
    ['root', 0o000, { uid: 0, gids: [] }, true],
    ['the owner', 0o600, { uid: 1, gids: [] }, true],
    ['the owner without the right, though others have it', 0o066, { uid: 1, gids: [2] }, false],
    ['the group', 0o660, { uid: 9, gids: [7, 2] }, true],
    ['the group, to read alone', 0o640, { uid: 9, gids: [2] }, false],
    ['anyone', 0o666, { uid: 9, gids: [] }, true],
    ['no one else', 0o660, { uid: 9, gids: [9] }, false],
  ] as const)('%s', (_name, mode, user, may) => {
    expect(mayOpen({ mode: 0o020_000 | mode, uid: 1, gid: 2 }, user)).toBe(may)
  })
})

describe('what keeps a server from the port of its device', () => {
  const machineWith = (udev: string | null) => {
    const machine = makeUpMachine()
    machine.addUsb(stick)
    machine.write(`sys/class/tty/ttyUSB0/dev`, '188:0\n')
    machine.write('etc/group', `dialout:x:${process.getgid?.() ?? 0}:onesixty\n`)
    machine.write('etc/passwd', 'onesixty:x:998:997::/var/lib/onesixty:/usr/sbin/nologin\n')
    if (udev !== null) machine.write('run/udev/data/c188:0', udev)
    chmodSync(join(machine.roots.dev, 'ttyUSB0'), 0o660)
    const path = join(
      machine.roots.dev,
      'serial/by-id/usb-HUAWEI_MOBILE_HUAWEI_MOBILE_0123456789ABCDEF-if00-port0',
    )
    const reasons = async (uid = 998) =>
      (await examinePort({ path, uid }, machine.roots)).map(({ reason }) => reason)
    return { machine, path, reasons }
  }

  test('nothing, for a user in its group', async () => {
    const { reasons } = machineWith(null)
    expect(await reasons()).toEqual([])
    expect(await reasons(4_711)).toEqual(['port_denied'])
  })

  test('it is not there, or another program has it', async () => {
    const { machine, path, reasons } = machineWith(null)
    machine.addProcess(9, 'minicom', [join(machine.roots.dev, 'ttyUSB0')])
    expect(await reasons()).toEqual(['port_in_use'])
    rmSync(path)
    expect(await reasons()).toEqual(['port_missing'])
  })

  // A file of udev's database as `udevadm info` prints it, morfikov.github.io (see usb-captures.ts).
  const tags = 'E:ID_MODEL_ID=15b6\nE:ID_USB_INTERFACE_NUM=00\nE:ID_VENDOR_ID=12d1\nE:ID_MM_CANDIDATE=1\n'

  test.each([
    ['without a rule', tags, ['port_probed']],
    ['with a rule', `${tags}E:ID_MM_DEVICE_IGNORE=1\n`, []],
    ['without udev', null, []],
  ] as const)('ModemManager runs, %s', async (_name, udev, expected) => {
    const { machine, reasons } = machineWith(udev)
    expect(await reasons()).toEqual([])
    machine.addProcess(712, 'ModemManager', [])
    expect(await reasons()).toEqual(expected)
  })
})

test('rules of udev keep ModemManager off each of the devices once', () => {
  const usb = (vendorId: string, productId: string) => ({ usb: { vendorId, productId, maker: null, product: null, interfaceNumber: 0 } }) // prettier-ignore
  const rules = udevRules([usb('2c7c', '0125'), usb('12d1', '1506'), usb('12d1', '1506'), { usb: null }])
  // The form of the ModemManager Reference Manual, "Modem filter", EXPLICIT_BLACKLIST.
  expect(rules.split('\n').filter((line) => line.startsWith('ATTRS'))).toEqual([
    'ATTRS{idVendor}=="12d1", ATTRS{idProduct}=="1506", ENV{ID_MM_DEVICE_IGNORE}="1"',
    'ATTRS{idVendor}=="2c7c", ATTRS{idProduct}=="0125", ENV{ID_MM_DEVICE_IGNORE}="1"',
  ])
  expect(rules).toMatch(/^ACTION!="add\|change\|move\|bind", GOTO="(\w+)"\n[^]*\nLABEL="\1"\n$/m)
})
