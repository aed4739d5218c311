import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeviceKind } from '../../src/api/console/devices/device-calls.ts'
import type { ConsoleDevice } from '../../src/api/console/devices/device-view.ts'
import type { PhoneInvitation } from '../../src/api/console/devices/device-connect-calls.ts'
import { eventually } from '../eventually.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.stop())

const testMode = { mode: 'test' } as const
const simulator = {
  kind: 'simulator',
  name: 'Bench',
  isShared: false,
  senders: ['+4915112345678'],
  settings: { delay_ms: '0' },
  secrets: {},
  pace: null,
}

async function added(person: ConsolePerson, more: object = {}): Promise<string> {
  const answer = await person.change('devices/add', { ...simulator, ...more }, testMode)
  expect(answer).toMatchObject({ status: 200 })
  return (answer.body as { deviceId: string }).deviceId
}
const read = async (person: ConsolePerson, deviceId: string): Promise<ConsoleDevice> =>
  (await person.read('devices/one', { deviceId, hours: 24 }, testMode)).body as ConsoleDevice
const isStatus = (status: string) => (device: ConsoleDevice) => expect(device.status).toBe(status)
const makeOperator = ({ userId }: ConsolePerson) =>
  console.app.storage.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute(),
  )

test('a simulator that was added comes online, is told to go offline, and says since when and what to do', async () => {
  const { ada } = console
  const deviceId = await added(ada)
  const online = await eventually(
    () => read(ada, deviceId),
    // In the millisecond in which it came online its lane has nothing of it yet.
    ({ status, lane }) => expect([status, lane.stretches.at(-1)]).toMatchObject(['online', { status: 'online', untilMs: lane.untilMs }]), // prettier-ignore
  )
  expect(online).toMatchObject({
    shared: false,
    isChangeable: true,
    name: 'Bench',
    setUp: { state: 'enabled', isDraining: false, settings: { delay_ms: '0' } },
  })
  await ada.change('devices/change', { deviceId, settings: { offline: 'true' } }, testMode)
  const offline = await eventually(() => read(ada, deviceId), isStatus('offline'))
  expect(offline.reasons).toEqual(['switched_off'])
  expect(offline.sinceMs).toBeGreaterThanOrEqual(online.sinceMs!)
})

test('what is wrong with a change is said field by field, and nothing is changed', async () => {
  const { ada } = console
  const deviceId = await added(ada)
  const answer = await ada.change(
    'devices/change',
    {
      deviceId,
      name: '',
      settings: { delay_ms: 'soon', colour: 'red' },
      pace: { partsPerWindow: 0, windowSeconds: 1 },
    },
    testMode,
  )
  expect(answer.status).toBe(422)
  expect((answer.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)).toEqual([
    '/name',
    '/settings/delay_ms',
    '/settings/colour',
    '/pace',
  ])
  expect(await read(ada, deviceId)).toMatchObject({ name: 'Bench' })
})

test('a device is paused, drained and resumed, and each change is in the log with who made it', async () => {
  const { ada } = console
  const deviceId = await added(ada)
  await eventually(() => read(ada, deviceId), isStatus('online'))
  await ada.change('devices/change', { deviceId, isDraining: true }, testMode)
  const drains = await eventually(() => read(ada, deviceId), isStatus('degraded'))
  expect(drains).toMatchObject({ reasons: ['draining'], setUp: { isDraining: true } })
  await ada.change('devices/change', { deviceId, state: 'disabled' }, testMode)
  expect(await read(ada, deviceId)).toMatchObject({ status: 'disabled', setUp: { isDraining: false } })
  await ada.change('devices/change', { deviceId, state: 'enabled' }, testMode)
  await eventually(() => read(ada, deviceId), isStatus('online'))
  expect(await ada.change('devices/remove', { deviceId, isLost: false }, testMode)).toMatchObject({
    body: { removed: true },
  })
  const log = await console.app.storage.read
    .selectFrom('audit_log')
    .selectAll()
    .where('detail', 'like', `%${deviceId}%`)
    .orderBy('id')
    .execute()
  expect(
    log.map(({ action, actor, account_id }) => [action, actor === ada.userId, account_id === ada.accountId]),
  ).toEqual(
    ['added', 'changed', 'changed', 'changed', 'retired'].map((what) => [`device.${what}`, true, true]),
  )
  expect(await ada.read('devices/one', { deviceId, hours: 24 }, testMode)).toMatchObject({ status: 404 })
})

test('nobody changes, tries or sees the set-up of what is not theirs', async () => {
  const { ada, bob } = console
  const deviceId = await added(ada)
  const calls = [
    ['devices/change', { deviceId, name: 'Mine' }],
    ['devices/remove', { deviceId, isLost: true }],
    ['devices/try', { deviceId }],
  ] as const
  for (const [name, input] of calls) {
    expect(await bob.change(name, input, testMode), name).toMatchObject({ status: 404 })
    expect(await ada.change(name, input, { mode: 'live' }), `${name} in live mode`).toMatchObject({
      status: 404,
    })
  }
  expect(await bob.read('devices/one', { deviceId, hours: 24 }, testMode)).toMatchObject({ status: 404 })
  const shared = (
    (await ada.read('devices/list', { hours: 24 }, testMode)).body as { devices: ConsoleDevice[] }
  ).devices.find((device) => device.shared)
  expect(shared).toMatchObject({ isChangeable: false, setUp: null, name: null })
  expect(await ada.change('devices/change', { deviceId: shared!.id, name: 'Mine' }, testMode)).toMatchObject({
    status: 403,
  })
})

test('an account adds simulators in test mode only and so many, and never makes this server connect anywhere', async () => {
  const person = await console.newPerson('Cleo')
  const refused = async (more: object, mode: 'live' | 'test' = 'test') =>
    (await person.change('devices/add', { ...simulator, ...more }, { mode })).status
  expect(await refused({}, 'live')).toBe(403)
  expect(await refused({ isShared: true })).toBe(403)
  expect(await refused({ settings: { peer_url: 'http://127.0.0.1:1/' } })).toBe(403)
  const link = {
    kind: 'smpp',
    settings: { host: '127.0.0.1', port: '2775', system_id: 'x' },
    secrets: { password: 'y' },
  }
  expect(await refused(link)).toBe(403)
  for (let i = 0; i < 10; i++) await added(person)
  expect(await refused({})).toBe(422)
})

test('the operator adds a link, sees its missing settings, never its password, and tries its bind', async () => {
  const operator = await console.newPerson('Olga')
  await makeOperator(operator)
  const link = { ...simulator, kind: 'smpp', senders: ['*'], settings: {}, secrets: {} }
  const faults = await operator.change('devices/add', link, testMode)
  expect(faults.status).toBe(422)
  expect(JSON.stringify(faults.body)).toContain('/settings/host')
  const settings = { host: '127.0.0.1', port: '1', system_id: 'olga', bind_timeout_ms: '1000' }
  const secrets = { password: 'very-secret' }
  const answer = await operator.change('devices/add', { ...link, settings, secrets }, testMode)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const { deviceId } = answer.body as { deviceId: string }
  const seen = await operator.read('devices/one', { deviceId, hours: 168 }, testMode)
  expect(seen.body).toMatchObject({ setUp: { hasSecrets: true, settings: { host: '127.0.0.1' } } })
  expect(JSON.stringify(seen.body)).not.toContain('very-secret')
  expect(await operator.change('devices/try', { deviceId }, testMode)).toMatchObject({
    status: 200,
    body: { isOk: false },
  })
})

test('a form shows an owner only what owners can set, and the operator everything', async () => {
  const kindsOf = async (person: ConsolePerson) =>
    ((await person.read('devices/kinds', {}, testMode)).body as { kinds: DeviceKind[] }).kinds
  const person = await console.newPerson('Ines')
  const seen = new Map((await kindsOf(person)).map((kind) => [kind.kind, kind]))
  expect(seen.get('smpp')).toMatchObject({ isAddable: false, settings: [] })
  expect(seen.get('smpp')).not.toHaveProperty('secretFields')
  expect(seen.get('simulator')?.settings.map(({ name }) => name)).not.toContain('peer_url')
  expect(seen.get('simulator')).toMatchObject({ isAddable: true })
  await makeOperator(person)
  const all = new Map((await kindsOf(person)).map((kind) => [kind.kind, kind]))
  expect(all.get('smpp')).toMatchObject({ isAddable: true, secretFields: { password: {} } })
  expect(all.get('simulator')?.settings.map(({ name }) => name)).toContain('peer_url')
})

test('the owner of an account with a link of its own renames it, and sets nothing that only the operator can set', async () => {
  const operator = await console.newPerson('Olaf')
  await makeOperator(operator)
  const settings = { host: '127.0.0.1', port: '1', system_id: 'olaf', reconnect_least_ms: '60000' }
  const link = { ...simulator, kind: 'smpp', senders: [], settings, secrets: { password: 'secret' } }
  const answer = await operator.change('devices/add', link, testMode)
  const { deviceId } = answer.body as { deviceId: string }
  await console.app.storage.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 0 }).where('id', '=', operator.userId).execute(),
  )
  const status = async (change: object): Promise<number> =>
    (await operator.change('devices/change', { deviceId, ...change }, testMode)).status
  expect(await status({ settings: { host: '10.0.0.1' } })).toBe(403)
  expect(await status({ settings: { tls_ca_file: '/etc/passwd' } })).toBe(403)
  expect(await status({ settings: { window: null } })).toBe(403)
  expect(await status({ secrets: { password: 'mine' } })).toBe(403)
  expect(await status({ settings: { colour: 'red' } })).toBe(422)
  expect(await status({ name: 'Ours' })).toBe(200)
})

test('a phone is invited with an address, a token and their codes; its progress is told to its account alone', async () => {
  const { ada, bob } = console
  const { tokenId, token, address, tokenCode, trouble } = (
    await ada.change('devices/invite-phone', { isShared: false }, testMode)
  ).body as PhoneInvitation
  expect(address).toBe(`${console.url}/mobile/v1`)
  // The server answered at this address, which leads phones nowhere.
  expect(trouble?.summary).toContain('Phones cannot reach localhost')
  expect(token).toMatch(/^([0-9a-z]{4}-){6}[0-9a-z]{4}$/)
  expect(tokenCode.path).toMatch(/^M\d+ \d+h1v1h-1zM/)
  const subject = { tokenId, deviceId: null, messageId: null }
  const known = await ada.read('devices/guide', subject, testMode)
  expect(known.body).toEqual({ phone: null, test: null, answer: null, keyLimits: null })
  expect(await bob.read('devices/guide', subject, testMode)).toMatchObject({ status: 404 })
  expect(await bob.change('devices/invite-phone', { isShared: true }, testMode)).toMatchObject({
    status: 403,
  })
})

test('a test SMS is a real send: it costs, and with a sender of the device it goes by that device', async () => {
  const { ada } = console
  const deviceId = await added(ada, { senders: ['+4915199990009'] })
  await eventually(() => read(ada, deviceId), isStatus('online'))
  const input = { to: '+15005550006', text: 'Hello', from: '+4915199990009', key: 'abcdefgh' }
  const { body } = await ada.change('devices/send-test', input, testMode)
  expect((await ada.change('devices/send-test', input, testMode)).body).toEqual(body)
  const { messageId } = body as { messageId: string }
  const message = await eventually(
    () =>
      console.app.storage.read
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', messageId)
        .executeTakeFirst(),
    (row) => expect(row?.status).toBe('delivered'),
  )
  expect(message).toMatchObject({ device_id: deviceId, charged: 1 })
})

test('the live stream tells of a change of a device within a second or two, and not of signs of life', async () => {
  const { ada } = console
  const deviceId = await added(ada)
  await eventually(() => read(ada, deviceId), isStatus('online'))
  const query = new URLSearchParams({ account: ada.accountId, mode: 'test' })
  const stop = new AbortController()
  const answer = await fetch(`${console.url}/console/api/live?${query.toString()}`, {
    headers: { cookie: ada.cookie },
    signal: stop.signal,
  })
  let told = ''
  void (async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) told += chunk
  })().catch(() => undefined)
  const events = () => told.split('event: devices').length - 1
  await eventually(events, (count) => expect(count).toBe(1))
  await ada.change('devices/change', { deviceId, name: 'Renamed' }, testMode)
  await eventually(events, (count) => expect(count).toBeGreaterThan(1), 2_000)
  stop.abort()
})

test('naming a SIM undoes no change of the senders that is made meanwhile', async () => {
  const { ada } = console
  const invited = await ada.change('devices/invite-phone', { isShared: false })
  const { token } = invited.body as PhoneInvitation
  const answer = await fetch(`${console.url}/mobile/v1/device`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"samsung/a12"}',
  })
  expect(answer.status).toBe(201)
  const { id: deviceId } = await console.app.storage.read
    .selectFrom('devices')
    .select('id')
    .where('account_id', '=', ada.accountId)
    .where('kind', '=', 'android')
    .executeTakeFirstOrThrow()
  const change = (more: object) => ada.change('devices/change', { deviceId, ...more })
  const sendersNow = async (): Promise<unknown> => {
    const row = console.app.storage.read.selectFrom('devices').select('senders').where('id', '=', deviceId)
    return JSON.parse((await row.executeTakeFirstOrThrow()).senders)
  }
  await change({ senders: ['+4915199990001'] })
  const both = [
    change({ senders: ['+4915199990002'] }),
    change({ sim: { slot: 1, number: '+4915199990003' } }),
  ]
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
  // Whichever came first.
  expect(await sendersNow()).toContain('+4915199990002')
  await change({ sim: { slot: 1, number: '+49 151 9999 0004' } })
  expect(await sendersNow()).toEqual(['+4915199990002', '+4915199990004'])
  await change({ sim: { slot: 1, number: null } })
  expect(await sendersNow()).toEqual(['+4915199990002'])
})
