import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShownPorts } from '../../src/api/console/devices/port-calls.ts'
import type { DeviceKind } from '../../src/api/console/devices/device-calls.ts'
import { listPorts } from '../../src/connectors/modem/ports/list-ports.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { makeUpMachine, type MadeUpMachine } from '../modem/made-up-machine.ts'
import { stick, twins, webStick } from '../modem/usb-captures.ts'
import { isPostgres } from '../test-database.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let machine: MadeUpMachine | null = null
let console: TestConsole
beforeAll(async () => {
  const serialPorts = () =>
    listPorts({ user: { uid: 0, gids: [] }, ...(machine && { roots: machine.roots }) })
  console = await startConsole({ ONESIXTY_NODE: 'shed' }, { serialPorts })
  await makeOperator(console, console.ada.userId)
})
afterAll(() => console.stop())

test('an operator sees the ports of the node with what is wrong with them, likely ones first; others see none', async () => {
  const { ada, bob } = console
  const made = (machine = makeUpMachine())
  made.addUsb({
    ...(twins[0] as (typeof twins)[number]),
    ports: [{ tty: 'ttyS9', interfaceNumber: 0, driver: 'pl2303' }],
  })
  made.addUsb(stick)
  made.addUsb(webStick)
  made.addProcess(712, 'ModemManager', [`${made.roots.dev}/ttyUSB1`])
  const device = { kind: 'modem', name: 'Stick', isShared: false, senders: [], secrets: {}, pace: null }
  const port = `${made.roots.dev}/ttyUSB0`
  await ada.change('devices/add', { ...device, settings: { port } })
  await ada.change('devices/add', {
    ...device,
    name: 'Other',
    settings: { port: `${made.roots.dev}/ttyUSB1`, node: 'attic' },
  })
  const { body } = await ada.read('devices/ports')
  const { node, mayHaveOthers, ports, withoutPort } = body as ShownPorts
  // Its name is filled in with the port where others share the database.
  expect([node, mayHaveOthers]).toEqual(['shed', isPostgres])
  const about = (interfaceNumber: number) => `HUAWEI_MOBILE, interface ${interfaceNumber}, driver option1, ${made.roots.dev}/ttyUSB${interfaceNumber}` // prettier-ignore
  expect(ports).toMatchObject([
    { about: about(0), isLikely: true, faults: ['The device Stick has it.'] },
    { about: about(1), isLikely: true, faults: ['It is open in ModemManager (process 712).'] },
    { path: `${made.roots.dev}/ttyS9`, isLikely: false, about: 'Prolific Technology Inc. USB-Serial Controller, interface 0, driver pl2303' },
  ]) // prettier-ignore
  expect(withoutPort).toEqual([{ name: 'HUAWEI_MOBILE', remedy: expect.stringContaining('HiLink') }])
  expect((await bob.read('devices/ports')).status).toBe(404)
})

test('only an operator gets the setting with the ports, and a form knows which secrets it must ask for', async () => {
  const modemOf = async (person: TestConsole['ada']) => {
    const { kinds } = (await person.read('devices/kinds')).body as { kinds: DeviceKind[] }
    return kinds.find(({ label }) => label === 'GSM modem')
  }
  expect(await modemOf(console.ada)).toMatchObject({
    portSetting: 'port',
    nodeSetting: 'node',
    requiredSecrets: [],
    isAddable: true,
  })
  const ofBob = await modemOf(console.bob)
  expect(ofBob).toMatchObject({ isAddable: false, settings: [] })
  expect([ofBob?.portSetting, ofBob?.nodeSetting, ofBob?.secretFields]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
