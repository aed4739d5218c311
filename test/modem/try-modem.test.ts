import { expect, test } from 'vitest'
import type { Trial } from '../../src/connectors/connector-tools.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import { createWorld, turnUntil } from '../contracts/contract-subject.ts'
import { followClock } from '../contracts/modem-subject.ts'
import { type ModemOptions, type PooledModem, startPooledModem } from '../at-modem/modem-pool.ts'

interface Given {
  settings?: Record<string, string>
  secrets?: Record<string, string>
}

async function run<T>(modem: PooledModem, { settings = {}, secrets = {} }: Given, ask: 'tryOut' | 'identify'): Promise<T> {
  const world = createWorld()
  world.atRest = followClock(modem, world)
  world.isRestKnown = true
  const setup = { id: 'dev_1', name: 'Stick', settings: { port: modem.address, pause_ms: '0', ...settings }, secrets }
  const asked = ask === 'tryOut' ? modemKind.tryOut?.(setup, world.tools) : modemKind.identify?.(setup, world.tools, 'here')
  const found = await turnUntil(world, asked as Promise<T>, 120_000)
  expect(world.clock.waiting).toBe(0)
  return found
} // prettier-ignore

const tryOut = async (options: ModemOptions, given: Given = {}): Promise<Trial> =>
  run(await startPooledModem('stub', options), given, 'tryOut')

test('a trial says who the modem is and its network, reads and deletes nothing, and leaves the line', async () => {
  const modem = await startPooledModem('stub', { profile: 'quectel' })
  await modem.receive({ from: '+491711234567', text: 'for the device' })
  expect(await run<Trial>(modem, {}, 'tryOut')).toEqual({
    ok: true,
    summary: 'The modem (Quectel EC25) is in the network Testnetz, with -73 dBm.',
    remedy: null,
  })
  const { isConnected, used } = await modem.state()
  expect([isConnected, used.SM + used.ME]).toEqual([false, 1])
  expect(modem.commands().filter((command) => /CMG[LRD]|CMGS=/.test(command))).toEqual([])
})

test('a trial says what is wrong, and what to do', async () => {
  const summaries = await Promise.all([
    tryOut({ sim: null }),
    tryOut({ sim: { smsc: null } }),
    tryOut({ settings: { network: { cs: 3, ps: 0 } } }),
    tryOut({ sim: { pin: '1234' } }),
    tryOut({}, { settings: { imei: '111111111111111' } }),
    tryOut({}, { settings: { port: 'tcp://127.0.0.1:1' } }),
  ])
  expect(summaries.map(({ ok, summary, remedy }) => [ok, summary, remedy !== null])).toEqual([
    [false, 'The modem (Emulated AT-1) answers, but cannot be used: no_sim.', true],
    [false, 'The modem (Emulated AT-1) answers, but its SIM has no service centre.', true],
    [false, 'The modem (Emulated AT-1) answers, but is in no network.', true],
    [false, 'The modem (Emulated AT-1) answers, but cannot be used: sim_pin.', true],
    [false, 'The modem (Emulated AT-1) answers, but cannot be used: other_modem.', true],
    [false, 'The port cannot be opened: connect ECONNREFUSED 127.0.0.1:1.', true],
  ])
  expect(await tryOut({ settings: { line: { silence: 'hung' } } })).toMatchObject({
    ok: false,
    summary: 'The port is open, but no modem answers.',
  })
})

test('a trial never tries a PIN: whether it was tried before is not known to it', async () => {
  const modem = await startPooledModem('stub', { sim: { pin: '1234' } })
  expect(await run<Trial>(modem, { secrets: { pin: '1234' } }, 'tryOut')).toMatchObject({ ok: true })
  expect(modem.recordsOf('pin')).toEqual([])
})

test('a modem that is added is recognised by its IMEI and a hash of its ICCID, also behind a PIN', async () => {
  const modem = await startPooledModem('stub', { sim: { pin: '1234' } })
  const found = await run<Record<string, string>>(modem, { secrets: { pin: '1234' } }, 'identify')
  expect(found).toEqual({
    imei: '490154203237518',
    sim_mark: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
  })
  expect(modem.recordsOf('pin')).toEqual([])
  const kept = { imei: '490154203237518', sim_mark: '0123456789abcdef' }
  expect(await run(modem, { settings: kept }, 'identify')).toEqual({})
  expect(await run(modem, { settings: { port: 'tcp://127.0.0.1:1' } }, 'identify')).toEqual({})
  // A port of this machine belongs to this node, whether its modem answers or not.
  expect(await run(modem, { settings: { port: '/dev/null' } }, 'identify')).toEqual({ node: 'here' })
  expect(await run(modem, { settings: { port: '/dev/there-is-none' } }, 'identify')).toEqual({})
})
