import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import { killAndRestart, openModemHouse, openTenant } from './modem-house.ts'
import { startPooledModem } from '../at-modem/modem-pool.ts'

const long = 'A text that needs more than one part. '.repeat(8).trim()
const holds = (what: () => boolean): Promise<unknown> =>
  eventually(async () => what(), (seen) => expect(seen).toBe(true), 15_000) // prettier-ignore

test('a running server sends and receives over modems, charges what was taken, and logs no secret', async () => {
  const server = await openModemHouse({ ONESIXTY_LOG_LEVEL: 'debug' })
  const ada = await openTenant(server, 'ada')
  const [first, second] = [await startPooledModem('machine'), await startPooledModem('machine', { sim: { pin: '47110815', iccid: '8949020000111111112' } })]
  const firstId = await ada.addModem(first, { settings: ['trace=on'] })
  // 8.1: what device add has learned of the modem.
  const { devices } = await cliJson<{ devices: { settings: Record<string, string> }[] }>(['device', 'list', '--account', ada.accountId], server.dataFolder)
  expect(devices[0]?.settings).toMatchObject({ imei: '490154203237518', sim_mark: expect.stringMatching(/^[0-9a-f]{16}$/) as string })

  // 8.2: a send is delivered.
  await ada.send(long, '+4915112345001')
  expect(await ada.comesTo('delivered')).toMatchObject({ cost: { state: 'charged' } })
  expect((await ada.balance()).available).toBe(98)

  // 8.3: 500 after the Ctrl-Z is unknown, nothing goes again, and its report makes it delivered.
  await first.set({ submit: { rules: [{ isTaken: true, answer: ['+CMS ERROR: 500'], times: 1 }] }, reports: { rules: [{ statuses: [0], delayMs: 4_000 }] } })
  await ada.send('Is it there?', '+4915112345002')
  expect(await ada.comesTo('unconfirmed')).toMatchObject({ error: { code: 'device_unclear', network_code: 'CMS 500' }, cost: { state: 'released' } })
  expect(await ada.balance()).toMatchObject({ available: 98, reserved: 0 })
  await ada.comesTo('delivered')
  expect(first.submits().filter(({ to }) => to === '+4915112345002')).toHaveLength(1)

  // 8.4: a line that ends before the Ctrl-Z sends nothing, and the next device does.
  const secondId = await ada.addModem(second, { settings: ['trace=on'], pin: '47110815' })
  for (const modem of [first, second]) await modem.set({ submit: { prompt: 'none' }, reports: { rules: [] } })
  const before = [first, second].map((modem) => modem.submits().length)
  await ada.send('By either', '+4915112345003')
  const prompts = (modem: AtModemControl): number => modem.commands().filter((command) => command.startsWith('AT+CMGS=')).length
  await holds(() => prompts(first) + prompts(second) > 3)
  const isFirst = prompts(second) === 0
  const [used, other] = isFirst ? [first, second] : [second, first]
  await other.set({ submit: { prompt: 'right' } })
  await used.hangUp('rst')
  const moved = await ada.comesTo('delivered')
  expect(moved.device_id).toBe(isFirst ? secondId : firstId)
  expect([first, second].map((modem, at) => modem.submits().length - (before[at] ?? 0)).toSorted((a, b) => a - b)).toEqual([0, 1])

  // 8.7: three parts in any order, a pair cut between two, in a memory of two names, of which none can be deleted at first.
  await other.set({ storage: { isOne: true, refuseDeletes: 20 } })
  const text = `${'😀'.repeat(30)} and: ${'😀'.repeat(60)}`
  await other.receive({ from: '+4915112345004', text, encoding: 'ucs2', partUnits: 67, order: [3, 1, 2] })
  await eventually(() => ada.history('inbound'), (seen) => expect(seen.map((sms) => sms.text)).toEqual([text]), 15_000)

  // 8.12: no PIN, text, number, PDU, IMEI or ICCID is in the log, though all was traced.
  const log = server.process.output()
  expect(log.match(/AT (?:sent|received)/g)?.length).toBeGreaterThan(100)
  const secrets = ['47110815', 'Is it there', 'A text that needs', '15112345', '490154203237518', '8949020000111111112', ...first.submits().map(({ pdu }) => pdu), ...second.submits().map(({ pdu }) => pdu)]
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  expect(await cliJson(['doctor'], server.dataFolder)).toMatchObject({ ok: true })
}, 90_000) // prettier-ignore

test('a kill at any moment of a part sends nothing twice, and loses no report and no received message', async () => {
  const server = await openModemHouse()
  const ada = await openTenant(server, 'ada')
  const modem = await startPooledModem('machine', { sim: { pin: '1234' } })
  const deviceId = await ada.addModem(modem, { pin: '1234' })
  const isUp = (): Promise<unknown> =>
    eventually(() => ada.device(deviceId), (seen) => expect(seen.status).toBe('online'), 20_000)
  const sentTo = (to: string): number => modem.taken().filter((submit) => submit.to === to).length

  // Before the Ctrl-Z: the attempt is flushed, so that the server cannot know, and sends nothing again.
  await modem.set({ submit: { prompt: 'none' } })
  await ada.send('at the prompt', '+4915112345001')
  await holds(() => modem.commands().some((command) => command.startsWith('AT+CMGS=')))
  await killAndRestart(server)
  await modem.set({ submit: { prompt: 'right' } })
  await ada.comesTo('unconfirmed', 30_000)
  await isUp()
  expect(sentTo('+4915112345001')).toBe(0)

  // After it: the network has the part, and its report says so after the restart.
  await modem.set({ submit: { rules: [{ isTaken: true, answer: 'silence', times: 1 }] }, reports: { rules: [{ statuses: [0], delayMs: 8_000 }] } })
  await ada.send('after the Ctrl-Z', '+4915112345002')
  await holds(() => sentTo('+4915112345002') === 1)
  await killAndRestart(server)
  await ada.comesTo('delivered', 40_000)

  // After the reference: the report that comes after the restart is matched by what the database has; a received message that could not be deleted is one.
  await modem.set({ storage: { refuseDeletes: 4 } })
  await ada.send('after the reference', '+4915112345003')
  await ada.comesTo('sent')
  await modem.receive({ from: '+4915112345009', text: 'stored, and not deleted' })
  await eventually(() => ada.history('inbound'), (seen) => expect(seen).toHaveLength(1), 10_000)
  await killAndRestart(server)
  await ada.comesTo('delivered', 40_000)
  await modem.set({ storage: { refuseDeletes: 0 } })
  await isUp()
  await modem.say('+CMTI: ,-1')
  await eventually(async () => (await modem.state()).used, (used) => expect(used).toEqual({ SM: 0, ME: 0, SR: 0 }), 20_000)
  expect(await ada.history('inbound')).toHaveLength(1)
  expect(['+4915112345001', '+4915112345002', '+4915112345003'].map(sentTo)).toEqual([0, 1, 1])
  // 8.5 over kills: the PIN was right, and the modem was never locked again.
  expect(modem.recordsOf('pin').map(({ what }) => what)).toEqual(['right'])
  expect(await cliJson(['doctor'], server.dataFolder)).toMatchObject({ ok: true })
}, 120_000) // prettier-ignore
