import { expect, test } from 'vitest'
import { UsageError } from '../../src/cli/core/command-errors.ts'
import { forEachPort } from '../../src/cli/device/each-port.ts'

const kind = { kind: 'modem', portSetting: 'port' }
const pool = { name: 'Pool {n}', settings: { profile: 'simcom' }, senders: [] }

test('a range of ports is a device for each, counted from 1', () => {
  expect(forEachPort(kind, 'tcp://192.0.2.9:7031-7033', pool)).toEqual(
    [7_031, 7_032, 7_033].map((port, index) => ({
      name: `Pool ${index + 1}`,
      settings: { profile: 'simcom', port: `tcp://192.0.2.9:${port}` },
    })),
  )
  expect(forEachPort(kind, 'telnet://[2001:db8::1]:9-9', pool)[0]?.settings['port']).toBe(
    'telnet://[2001:db8::1]:9',
  )
  expect(forEachPort(kind, 'tcp://h:1-256', pool)).toHaveLength(256)
})

test('without a range it is the one that is named', () => {
  expect(forEachPort({ kind: 'smpp' }, undefined, { ...pool, senders: ['1'] })).toEqual([
    { name: 'Pool {n}', settings: { profile: 'simcom' } },
  ])
})

test.each([
  ['tcp://h:7032-7001', 'a range of up to 256'],
  ['tcp://h:1-257', 'a range of up to 256'],
  ['tcp://h:65530-65536', 'a range of up to 256'],
  ['tcp://h:7001', 'a range of up to 256'],
  ['7001-7002', 'a range of up to 256'],
])('%s is no range', (each, words) => {
  expect(() => forEachPort(kind, each, pool)).toThrow(words)
})

test.each([
  [{ kind: 'smpp' }, pool, 'smpp has none'],
  [kind, { ...pool, name: 'Pool' }, '--name needs {n}'],
  [kind, { ...pool, settings: { port: '/dev/ttyUSB0' } }, 'not both'],
  [kind, { ...pool, senders: ['+491701234567'] }, 'a number of its own'],
])('%j refuses %j', (of, given, words) => {
  const refused = () => forEachPort(of, 'tcp://h:1-2', given)
  expect(refused).toThrow(UsageError)
  expect(refused).toThrow(words)
})
