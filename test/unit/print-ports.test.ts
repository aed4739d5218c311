import { expect, test } from 'vitest'
import { describePorts } from '../../src/cli/device/print-ports.ts'
import type { FoundPort, ProbedPort } from '../../src/connectors/connector-tools.ts'

const adapter: FoundPort = {
  path: '/dev/serial/by-path/platform-1c14000.usb-usb-0:1.2:1.0-port0',
  steadyBy: 'socket',
  node: '/dev/ttyUSB4',
  driver: 'pl2303',
  usb: { vendorId: '067b', productId: '2303', maker: 'Prolific', product: 'Controller', interfaceNumber: 0 },
  deviceKey: '1',
  isLikely: false,
  heldBy: [],
  faults: [],
}
const stick: FoundPort = {
  ...adapter,
  path: '/dev/ttyUSB0',
  node: '/dev/ttyUSB0',
  steadyBy: null,
  isLikely: true,
}
const probed: ProbedPort = { port: stick, fault: null, maker: 'huawei', model: 'E173', serialEnd: '1234', operator: 'Testnetz', signalDbm: -73, registered: true } // prettier-ignore

const describe = (ports: readonly FoundPort[], answers: readonly ProbedPort[] = []): string[] =>
  describePorts('modem', { ports, withoutPort: [], knowsHolders: true }, answers)

test('a port is listed with what it is, what is wrong with it, and what to do', () => {
  const detail = 'Only the group dialout can use it, and user 4711 is not in it.'
  expect(describe([{ ...adapter, faults: [{ reason: 'port_denied', detail }] }])).toEqual([
    adapter.path,
    '      /dev/ttyUSB4, driver pl2303, USB 067b:2303, interface 0, Prolific Controller, not known as a modem',
    `      ${detail}`,
    expect.stringMatching(/^ {6}port_denied: .*dialout/),
    '      Its path is that of its socket: always plug it into the same one.',
  ])
})

test('a port that has only the name of the moment says so, and a likely modem how it is asked', () => {
  const [path, , may, ask] = describe([stick])
  expect([path, may]).toEqual(['/dev/ttyUSB0', '      Its path may change when it is plugged in again.'])
  expect(ask).toMatch(/device discover --probe$/)
})

test('a modem that was asked is listed with the command that adds it', () => {
  const lines = describe([stick], [probed])
  expect(lines).toContain('      huawei E173, IMEI …1234, SIM ready, Testnetz, -73 dBm')
  expect(lines.at(-1)).toMatch(/device add modem --shared --name "huawei E173" --set port=\/dev\/ttyUSB0$/)
})

test('what a modem calls itself is no part of a command', () => {
  const lines = describe([stick], [{ ...probed, maker: 'a"$(reboot)`;', model: null }])
  expect(lines.at(-1)).toContain('--name "areboot" --set')
})

test('one that does not answer gets a remedy and no command', () => {
  const silent = { ...probed, fault: 'no_answer', maker: null, model: null, serialEnd: null }
  expect(describe([stick], [silent]).at(-1)).toMatch(/^ {6}no_answer: /)
})

test('a machine without ports, sticks without one, and programs that this user cannot see', () => {
  const withoutPort = [{ vendorId: '12d1', productId: '14dc', maker: 'HUAWEI_MOBILE', product: null, remedy: 'HiLink.' }] // prettier-ignore
  expect(describePorts('modem', { ports: [], withoutPort, knowsHolders: false }, [])).toEqual([
    'HUAWEI_MOBILE  12d1:14dc',
    '      HiLink.',
    'No serial port was found. Plug the modem in, or use a port over TCP.',
  ])
  const { length } = describe([adapter])
  const seen = describePorts('modem', { ports: [adapter], withoutPort: [], knowsHolders: false }, [])
  expect(seen.slice(length)).toEqual(['Programs of other users may have ports open: only root can see that.'])
})
