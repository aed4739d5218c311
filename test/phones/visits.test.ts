import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cli, cliJson } from '../run-command.ts'
import { openVisitHouse, type VisitHouse } from './visit-house.ts'

test('a phone without a certificate or a domain sends an SMS, and its answer arrives', async () => {
  const house = await openVisitHouse()
  await house.send('+4915112345678')
  await house.allAre('delivered')
  expect(house.phones.all.radioLog()).toMatchObject([{ to: '+4915112345678', times: 1 }])
  await house.phones.all.receiveSms({ from: '+4915112345678', text: 'Thanks' })
  await eventually(house.history, (all) => expect(all).toContainEqual(expect.objectContaining({ direction: 'inbound' })), 12_000) // prettier-ignore
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
}, 60_000)

test('a STOP that waits on the phone holds back what is queued for its sender', async () => {
  const house = await openVisitHouse()
  await house.phones.set({ localFault: 'error' })
  await eventually(() => house.phones.all.requests('GET'), (all) => expect(all.at(-1)).toMatchObject({ status: 500 }), 20_000) // prettier-ignore
  await house.phones.all.receiveSms({ from: '+4915112345678', text: 'STOP' })
  const [stopped, other] = await house.send(['+4915112345678', '+4915112345679'])
  await house.phones.set({ localFault: 'none' })
  await eventually(
    house.history,
    (all) => {
      // The number also gets the confirmation of its STOP.
      const statusOf = (id?: string) => all.find((message) => message.id === id)?.status
      expect([stopped, other].map(statusOf)).toEqual(['canceled', 'delivered'])
    },
    20_000,
  )
}, 60_000)

test('a server that is killed while it submits sends nothing twice', async () => {
  const house = await openVisitHouse({ ownProcess: true, localDelayMs: 20, timeScale: 100 })
  const to = Array.from({ length: 30 }, (_, i) => `+49151${String(30_000_000 + i)}`)
  await house.send(to)
  for (const count of [3, 12, 20]) {
    await eventually(() => house.phones.all.radioLog(), (radio) => expect(radio.length).toBeGreaterThanOrEqual(count), 20_000) // prettier-ignore
    await house.server.process.kill('SIGKILL')
    await house.server.restart()
  }
  await house.allAre('delivered', 60_000)
  expect(house.phones.all.radioLog().map((sms) => sms.to).toSorted()).toEqual(to) // prettier-ignore
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
}, 120_000)

test('a wrong password, a silent address and an old app are said before anything is added', async () => {
  const house = await openVisitHouse()
  const { dataFolder } = house.server
  const connect = (local: string, stdin: string) =>
    cli(['device', 'connect', 'android', '--local', local, '--account', house.accountId, '--password-stdin'], { dataFolder, stdin }) // prettier-ignore
  expect(await connect(house.address, 'wrong\n')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The phone rejects the password'),
  })
  expect((await connect('127.0.0.1:9', 'any\n')).stderr).toContain('did not answer')
  expect((await connect('8.8.8.8', 'any\n')).stderr).toContain(
    '--local needs host or host:port with a private',
  )
  const { devices } = await cliJson<{ devices: { kind: string }[] }>(['device', 'list'], dataFolder)
  expect(devices.filter(({ kind }) => kind === 'android')).toHaveLength(1)
}, 60_000)

/** Sends as soon as the server has seen that the device is enabled. */
const sendsAgain = (house: VisitHouse, to: string): Promise<unknown> =>
  eventually(
    () => house.send(to).catch(() => null),
    (ids) => expect(ids).toHaveLength(1),
    10_000,
  )

test('a device that is disabled is still visited for what it receives, and submits at once when it is enabled', async () => {
  const house = await openVisitHouse()
  const set = (flag: string) => cliJson(['device', 'set', house.deviceId, flag], house.server.dataFolder)
  await set('--disable')
  await eventually(house.device, ({ status }) => expect(status).toBe('disabled'))
  await house.phones.all.receiveSms({ from: '+4915112345678', text: 'Hi' })
  await eventually(house.history, (all) => expect(all).toHaveLength(1), 10_000)
  await set('--enable')
  await sendsAgain(house, '+4915112345678')
  await house.allAre('delivered')
}, 60_000)

test('a device that is enabled after a restart is visited from its start, the inbox first', async () => {
  const house = await openVisitHouse({ ownProcess: true, timeScale: 100 })
  const set = (flag: string) => cliJson(['device', 'set', house.deviceId, flag], house.server.dataFolder)
  const [stopped] = await house.send('+4915112345678', { send_at: new Date(Date.now() + 2_000).toISOString() })
  await set('--disable')
  await eventually(house.device, ({ status }) => expect(status).toBe('disabled'))
  await house.server.process.stop()
  await house.server.restart()
  await house.phones.all.receiveSms({ from: '+4915112345678', text: 'STOP' })
  await set('--enable')
  await sendsAgain(house, '+4915112345679')
  await eventually(house.history, (all) => {
    const statuses = Object.fromEntries(all.map(({ id, to, status }) => [id === stopped ? 'stopped' : to, status]))
    expect(statuses).toMatchObject({ 'stopped': 'canceled', '+4915112345679': 'delivered' })
  }, 15_000)
}, 60_000) // prettier-ignore

test('a phone is one device, and is connected again with the user that its device has', async () => {
  const house = await openVisitHouse()
  const { dataFolder } = house.server
  const connect = (...rest: string[]) =>
    cli(['device', 'connect', ...rest, '--local', house.address, '--password-stdin'], { dataFolder, stdin: `${house.password}\n` }) // prettier-ignore
  expect(await connect('android', '--account', house.accountId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`This phone is the device ${house.deviceId} already.`),
  })
  expect(await connect(house.deviceId)).toMatchObject({ code: 0 })
  await cliJson(['device', 'set', house.deviceId, '--set', 'local_user=ada'], dataFolder)
  expect((await connect(house.deviceId)).stderr).toContain('The phone rejects the password')
  expect(await connect(house.deviceId, '--user', 'sms')).toMatchObject({ code: 0 })
  await eventually(house.device, ({ status }) => expect(status).toBe('online'), 20_000)
}, 60_000)

test('a phone that was connected as a new device becomes the former one, with its address, password and installation', async () => {
  const house = await openVisitHouse()
  const { dataFolder } = house.server
  await house.phones.all.reinstall()
  const { localPassword } = await house.phones.phone(0).view()
  const args = ['device', 'connect', 'android', '--local', house.address, '--account', house.accountId]
  const { stdout } = await cli([...args, '--password-stdin', '--json'], { dataFolder, stdin: `${localPassword}\n` })
  const { id: newId } = JSON.parse(stdout) as { id: string }
  await cliJson(['device', 'same', house.deviceId, newId], dataFolder)
  const { devices } = await cliJson<{ devices: { id: string; settings: object }[] }>(['device', 'list'], dataFolder)
  const [phone, ...others] = devices.filter(({ settings }) => 'local_id' in settings)
  expect(others).toEqual([])
  // Its intervals are those that were set for the former device.
  expect(phone).toMatchObject({ id: house.deviceId, settings: { local_address: house.address, visit_ms: '200' } })
  await eventually(house.device, ({ status, reasons }) => expect([status, reasons]).toEqual(['online', []]), 10_000)
  await house.send('+4915112345678')
  await house.allAre('delivered')
}, 60_000) // prettier-ignore

test('a reinstalled app is connected again as the same device, and the former one gets nothing more', async () => {
  const house = await openVisitHouse()
  await house.phones.all.reinstall()
  await eventually(house.device, ({ reasons }) => expect(reasons).toEqual(['wrong_password']), 10_000)
  const { localPassword } = await house.phones.phone(0).view()
  const args = ['device', 'connect', house.deviceId, '--local', house.address, '--password-stdin', '--json']
  const { stdout } = await cli(args, { dataFolder: house.server.dataFolder, stdin: `${localPassword}\n` })
  expect(JSON.parse(stdout)).toMatchObject({ id: house.deviceId })
  await eventually(house.device, ({ status }) => expect(status).toBe('online'), 10_000)
  await house.send('+4915112345678')
  await house.allAre('delivered')
}, 60_000)
