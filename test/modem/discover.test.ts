import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiscover } from '../../src/cli/device/device-discover.ts'
import { noteUnsteadyPort } from '../../src/cli/device/steady-note.ts'
import type { CommandContext } from '../../src/cli/core/command-context.ts'
import { parseOptions } from '../../src/cli/core/parse-options.ts'
import { listPorts } from '../../src/connectors/modem/ports/list-ports.ts'
import { probePorts } from '../../src/connectors/modem/ports/probe-ports.ts'
import { udevRules } from '../../src/connectors/modem/ports/udev-rules.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { openPty } from '../peers/serial-pty.ts'
import { hastyTools } from './emulated.ts'
import { type MadeUpMachine, makeUpMachine } from './made-up-machine.ts'
import { type ModemOptions, startPooledModem } from '../at-modem/modem-pool.ts'
import { module, stick, twins } from './usb-captures.ts'

/** An emulated modem with a port of the kernel, which is a pseudo-terminal. */
async function startAtPort(tty: string, options: ModemOptions = {}) {
  const modem = await startPooledModem('machine', options)
  const folder = mkdtempSync(join(tmpdir(), 'onesixty-pty-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pty = await openPty(modem.port, join(folder, tty), { staysOpen: true })
  onTestFinished(() => pty.unplug())
  return { modem, path: pty.path }
}

/** Runs `device discover` on a machine whose files are made up. The pseudo-terminal is open here and in socat: both are left out. */
async function discover(machine: MadeUpMachine, ...argv: string[]) {
  const command = createDiscover(async () => ({
    kind: 'modem',
    ports: {
      list: () => listPorts({ roots: machine.roots, user: { uid: 0, gids: [] } }),
      probe: (ports, tools) => probePorts(ports, { tools }),
      examine: async () => [],
      udevRules,
    },
  }))
  const { options } = parseOptions(command, argv)
  const tools = { clock: hastyTools } as unknown as CommandContext
  const output = await command.run(tools, { options: options as never, arguments: [], json: false })
  return { json: output.json as Listed, text: output.text.replaceAll(machine.roots.dev, '/dev') }
}

interface Listed {
  ports: { path: string; node: string; held_by: object[]; faults: object[]; probe: Record<string, unknown> | null }[] // prettier-ignore
  rules: string
}

/** What it understood as a command, and octets that were none. */
const heardBy = (modem: AtModemControl): object[] =>
  modem
    .records()
    .filter(({ kind, ...rest }) => kind !== 'line' || (rest as { what?: string }).what === 'stray')

const steady = '/dev/serial/by-id/usb-HUAWEI_MOBILE_HUAWEI_MOBILE_0123456789ABCDEF-if00-port0'
describe.skipIf(!hasCommands('socat'))('modems at ports', () => {
  test('1: a port is named by its steady path, and not one octet is written to any', async () => {
    const { modem, path } = await startAtPort('ttyUSB0')
    const machine = makeUpMachine((tty) => (tty === 'ttyUSB0' ? path : null))
    machine.addUsb(stick)
    const { text, json } = await discover(machine)
    expect(text.split('\n')[0]).toBe(steady)
    expect(text).toContain(
      '/dev/ttyUSB0, driver option1, USB 12d1:15b6, interface 0, HUAWEI_MOBILE HUAWEI_MOBILE, likely a modem',
    )
    expect(json.ports.map(({ probe }) => probe)).toEqual([null, null])
    expect(heardBy(modem)).toEqual([])
  })

  test('1: a probe says maker, model, SIM, operator, signal, and how the device is added', async () => {
    const { modem, path } = await startAtPort('ttyUSB0', { profile: 'huawei' })
    const machine = makeUpMachine((tty) => (tty === 'ttyUSB0' ? path : null))
    machine.addUsb(stick)
    const { text, json } = await discover(machine, '--probe')
    const { identity, network } = await modem.set({})
    const probe = json.ports[0]?.probe
    expect(probe).toMatchObject({
      fault: null,
      maker: 'huawei',
      model: identity.model,
      serial_end: identity.imei.slice(-4),
      registered: true,
    })
    expect(probe?.['signal_dbm']).toBe(-113 + 2 * network.signal)
    expect(text).toContain(`device add modem --shared --name "huawei ${identity.model}" --set port=${steady}`)
    expect(text).toContain('SIM ready')
    expect(text).not.toContain(identity.imei)
  })

  test('30: of several ports the lowest that takes PDU mode is named, and a locked SIM gets no PIN', async () => {
    const refused = { answers: { rules: [{ command: String.raw`AT\+CMGF=0`, lines: ['ERROR'] }] } }
    const silent = await startAtPort('ttyUSB10', { settings: { line: { silence: 'hung' } } })
    const other = await startAtPort('ttyUSB11', { settings: refused })
    const { modem, path } = await startAtPort('ttyUSB12', { profile: 'quectel', sim: { pin: '1234' } })
    const paths = new Map([['ttyUSB10', silent.path], ['ttyUSB11', other.path], ['ttyUSB12', path]]) // prettier-ignore
    const machine = makeUpMachine((tty) => paths.get(tty) ?? null)
    machine.addUsb(module)
    const { text, json } = await discover(machine, '--probe')
    expect(json.ports.map(({ probe }) => probe?.['fault'])).toEqual([
      undefined,
      undefined,
      'sim_pin',
      undefined,
    ])
    expect(text).toMatch(
      /SIM locked by its PIN\n(?:.*\n)*? {6}.*--set port=\S*-if02-port0 --secret-file pin=FILE$/m,
    )
    expect(modem.commands().filter((command) => command.includes('CPIN='))).toEqual([])
    expect(modem.recordsOf('pin')).toEqual([])
  })

  test('a port of another maker is asked only with --probe=all', async () => {
    const { modem, path } = await startAtPort('ttyUSB4')
    const machine = makeUpMachine((tty) => (tty === 'ttyUSB4' ? path : null))
    machine.addUsb(twins[0] as (typeof twins)[number])
    expect((await discover(machine, '--probe')).json.ports[0]?.probe).toBeNull()
    expect(heardBy(modem)).toEqual([])
    expect((await discover(machine, '--probe=all')).json.ports[0]?.probe).toMatchObject({ fault: null })
    expect((await discover(machine, '--probe=all', '--udev')).text).toContain('ATTRS{idProduct}=="2303"')
    await expect(discover(machine, '--udev')).rejects.toThrow('No modem was found')
  })

  test('1: a port that another program has open is not asked', async () => {
    const { modem, path } = await startAtPort('ttyUSB0')
    const machine = makeUpMachine((tty) => (tty === 'ttyUSB0' ? path : null))
    machine.addUsb({ ...stick, ports: stick.ports?.slice(0, 1) ?? [] })
    machine.addProcess(712, 'ModemManager', [realpathSync(path)])
    const { text, json } = await discover(machine, '--probe')
    expect(json.ports).toMatchObject([
      { held_by: [{ pid: 712 }], probe: { fault: 'port_in_use', maker: null } },
    ])
    expect(text).toContain('It is open in ModemManager (process 712).')
    expect(heardBy(modem)).toEqual([])
  })
})

test('a device that is added with a path that may change gets a note with the one that does not', async () => {
  const machine = makeUpMachine()
  machine.addUsb(stick)
  const ports = {
    list: () => listPorts({ roots: machine.roots }),
    probe: async () => [],
    examine: async () => [],
    udevRules,
  }
  const noteFor = (port: string) => noteUnsteadyPort({ kind: 'modem', ports }, { port })
  const node = join(machine.roots.dev, 'ttyUSB0')
  const path = (await ports.list()).ports[0]?.path ?? ''
  expect(await noteFor(node)).toEqual([
    `The path ${node} may change when it is plugged in again. Its steady path is ${path}.`,
  ])
  expect([await noteFor(path), await noteFor('/dev/none'), await noteFor('tcp://h:1')]).toEqual([[], [], []])
})
