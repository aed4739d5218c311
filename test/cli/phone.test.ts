import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommandContext, type CommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import { listPhones } from '../../src/devices/phones/list-phones.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { databaseSettings } from '../test-database.ts'
import { cli as runCli } from '../run-command.ts'
import { register, report } from './registered-phone.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let tools: CommandContext
beforeAll(async () => {
  cli = await openCli({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org' })
  await cli.json('account create --name Ada --email ada@example.org')
  const silent = { write: () => undefined }
  const io = { stdout: silent, stderr: silent, stdin: (async function* none() {})(), env: {} }
  tools = createCommandContext(io, readConfig(databaseSettings(cli.dataFolder)))
})
afterAll(() => cli.close())

async function addPhone(): Promise<string> {
  const { private_token } = await cli.json<{ private_token: string }>(
    'device connect android --shared --mode test',
  )
  return register(tools, private_token)
}

/** Contact just now, by this address. */
const seenAt = (address: string) => {
  const atMs = tools.clock.now()
  return { lastSeenAt: atMs, contact: { atMs, address, isCertain: true } }
}

interface Set {
  settings: object
  senders: string[]
}
const set = (deviceId: string, rest: string) => cli.json<Set>(['device', 'set', deviceId, ...rest.split(' ')])

test("a SIM's number becomes its setting and a sender, and takes the place of the former one", async () => {
  const id = await addPhone()
  await set(id, '--sender +4915100000009')
  expect(await set(id, '--sim 1 --number +4915112345678')).toMatchObject({
    settings: { sim_1_number: '+4915112345678' },
    senders: ['+4915100000009', '+4915112345678'],
  })
  await set(id, '--sim 2 --number +4915112345679')
  expect(await set(id, '--sim 1 --number +4915187654321')).toMatchObject({
    settings: { sim_1_number: '+4915187654321', sim_2_number: '+4915112345679' },
    senders: ['+4915100000009', '+4915112345679', '+4915187654321'],
  })
  expect(await set(id, '--sim 1 --number none --name Shelf')).toMatchObject({
    name: 'Shelf',
    settings: { sim_2_number: '+4915112345679' },
    senders: ['+4915100000009', '+4915112345679'],
  })
})

test.each([
  ['--sim 1', 2, 'give --sim 1, 2 or 3 and --number'],
  ['--number +4915112345678', 2, 'give --sim 1, 2 or 3 and --number'],
  ['--sim 4 --number +4915112345678', 2, 'give --sim 1, 2 or 3 and --number'],
  ['--sim 1 --number 015112345678', 1, 'needs a number in E.164'],
])('refuses %s', async (rest, exitCode, sentence) => {
  const id = await addPhone()
  const { code, stderr } = await cli.run(`device set ${id} ${rest}`)
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining(sentence)])
})

test('one number is in one SIM, and only phones have SIMs', async () => {
  const id = await addPhone()
  await set(id, '--sim 1 --number +4915112345678')
  expect((await cli.run(`device set ${id} --sim 2 --number +4915112345678`)).stderr).toContain('another SIM')
  const { id: simulator } = await cli.json<{ id: string }>('device add simulator --shared --name S')
  expect((await cli.run(`device set ${simulator} --sim 1 --number +4915112345678`)).stderr).toContain(
    "no setting 'sim_1_number'",
  )
})

test('a phone is not added by hand', async () => {
  const { code, stderr } = await cli.run('device add android --shared --name P')
  expect([code, stderr]).toEqual([2, expect.stringContaining('onesixty device connect android')])
})

test('a phone with its stream open passes its test, whether it told its battery or not', async () => {
  const id = await addPhone()
  await report(tools, id, { link: 'stream', ...seenAt('https://sms.example.org') })
  const { code, stdout } = await cli.run(`device test ${id}`)
  expect(stdout).toMatch(/ok {4}Registered at \S+: samsung a12, app 1\.68\.0\./)
  expect(stdout).toMatch(/ok {4}Last seen at \S+, \d+ s ago\./)
  expect(stdout).toContain('ok    event stream: open')
  expect(code).toBe(0)
})

test.for([
  ['', [], 0, /^ok {4}The phone delivers received messages to an address that can be reached\./m],
  [
    '',
    ['receives_nothing'],
    1,
    /^FAIL {2}Received messages are lost: the phone was configured with a loopback address\./m,
  ],
  ['https://sms.example.org', ['receives_nothing'], 1, /^FAIL {2}Received messages are lost/m],
] as const)(
  'whether a phone can hand on what it receives is told by its server, not by the settings of the command (%j, %j)',
  async ([publicUrl, reasons, exitCode, line]) => {
    const id = await addPhone()
    await report(
      tools,
      id,
      { link: 'stream', ...seenAt('http://127.0.0.1:8160') },
      { status: reasons.length === 0 ? 'online' : 'degraded', reasons },
    )
    const env: Record<string, string> = publicUrl === '' ? {} : { ONESIXTY_PUBLIC_URL: publicUrl }
    const { code, stdout } = await runCli(['device', 'test', id], { dataFolder: cli.dataFolder, env })
    expect([code, stdout]).toEqual([exitCode, expect.stringMatching(line)])
  },
)

test('a phone on Google push fails its test, and test and list say what to do', async () => {
  const id = await addPhone()
  const state = { status: 'degraded' as const, reasons: ['push_only', 'battery_low'] }
  await report(tools, id, { link: 'push', ...seenAt('https://sms.example.org') }, state)
  const { code, stdout } = await cli.run(`device test ${id} --json`)
  const { checks, remedies } = JSON.parse(stdout) as { checks: object[]; remedies: string[] }
  expect(code).toBe(1)
  expect(checks).toContainEqual(expect.objectContaining({ name: 'event_stream', ok: false }))
  expect(remedies).toEqual([
    expect.stringContaining('Notification channel to SSE Only'),
    expect.stringContaining('charger'),
  ])
  expect((await cli.run('device list --shared')).stdout).toContain('push_only: The app uses Google push')
})

test('what was known of a phone counts no more when the server is silent', async () => {
  const id = await addPhone()
  const lastSeenAt = tools.clock.now() - 3_600_000
  const then = { ...tools, clock: { ...tools.clock, now: () => lastSeenAt } }
  await report(then, id, { link: 'stream', lastSeenAt })
  const { code, stdout } = await cli.run(`device test ${id}`)
  expect(stdout).toMatch(/FAIL {2}Last seen at \S+, 60 min ago\. .*is the server running\?/)
  expect(stdout).toContain('FAIL  event stream: waiting for the stream')
  expect(code).toBe(1)
})

describe('a phone that is removed', () => {
  test('says what it still holds, and that its app can register anew', async () => {
    const id = await addPhone()
    await hold(id)
    const { stdout } = await cli.run(`device remove ${id}`)
    expect(stdout).toContain(`${id} is now retired.`)
    expect(stdout).toContain('1 message is in flight on the phone')
    expect(stdout).toContain(`onesixty device remove ${id} --revoke-token`)
    // Asked again, it says the same: also afterwards.
    expect(await cli.json(`device remove ${id}`)).toEqual({ id, state: 'retired', changed: false, messages_stranded: 0, messages_held: 1, private_token: 'good' }) // prettier-ignore
  })

  test('of which the private token is revoked can do so no more, while others that registered with it stay', async () => {
    const { private_token: token } = await cli.json<{ private_token: string }>(
      'device connect android --shared --mode test',
    )
    const [lost, kept] = [await register(tools, token), await register(tools, token, false, '0002')]
    const other = await addPhone()
    const answer = {
      id: lost,
      state: 'retired',
      changed: true,
      messages_stranded: 0,
      messages_held: 0,
      private_token: 'revoked',
    }
    expect(await cli.json(`device remove ${lost} --revoke-token`)).toEqual(answer)
    expect(await register(tools, token)).toBe('nobody')
    for (const id of [kept, other])
      expect(await cli.json(`device list`)).toMatchObject({
        devices: expect.arrayContaining([expect.objectContaining({ id })]),
      })
    expect(await cli.json(`device remove ${other}`)).toMatchObject({ private_token: 'good' })
  })

  test('leaves none of its secrets behind', async () => {
    const id = await addPhone()
    await cli.json(`device remove ${id}`)
    const keys = await tools.withStorage(({ read }) =>
      read.selectFrom('phones').select('signing_key').where('device_id', '=', id).execute(),
    )
    expect(keys).toEqual([{ signing_key: '' }])
  })

  test('no other device has a token to revoke', async () => {
    const { id } = await cli.json<{ id: string }>('device add simulator --shared --name S')
    const { code, stderr } = await cli.run(`device remove ${id} --revoke-token`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--revoke-token is only for phones.')])
    expect(await cli.json(`device remove ${id}`)).toEqual({
      id,
      state: 'retired',
      changed: true,
      messages_stranded: 0,
    })
  })
})

test('a phone that registered anew is the former device once that is said, unless it was given messages', async () => {
  const [former, again, busy] = [await addPhone(), await addPhone(), await addPhone()]
  await hold(busy)
  const refused = await cli.run(`device same ${former} ${busy}`)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${busy} already has messages`)])
  const { id: simulator } = await cli.json<{ id: string }>(
    'device add simulator --shared --mode test --name S',
  )
  expect((await cli.run(`device same ${former} ${simulator}`)).stderr).toContain(
    `${simulator} is not a phone`,
  )
  const [phone] = await tools.withStorage(({ read }) => listPhones(read, { deviceId: again }))
  expect(await cli.json(`device same ${former} ${again}`)).toEqual({ id: former, taken_over: again })
  const now = await tools.withStorage(({ read }) => listPhones(read, { deviceId: former }))
  expect(now.map(({ phoneId }) => phoneId)).toEqual([phone?.phoneId])
})

/** What the server writes down when a phone fetches a message. */
const hold = (deviceId: string): Promise<unknown> =>
  tools.withStorage(async ({ read, writer }) => {
    const [phone] = await listPhones(read, { deviceId })
    const offer = {
      attempt_id: `att_of_${deviceId}`, device_id: deviceId, phone_id: phone?.phoneId ?? '', account_id: 'acc_a', mode: 'test', message_id: 'msg_1',
      attempt_number: 1, sim: null, offered_at: 1, last_offered_at: 1,
    } as const // prettier-ignore
    await writer.write((tx) => insertRows(tx, 'phone_offers', [offer]))
  })
