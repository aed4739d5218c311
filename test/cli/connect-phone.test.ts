import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectPhone } from '../../src/cli/device/connect-phone.ts'
import { createCommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import { eventually } from '../eventually.ts'
import { createStubClock } from '../stub-clock.ts'
import { databaseSettings } from '../test-database.ts'
import { register, report } from './registered-phone.ts'
import { type Cli, openCli } from './run-cli.ts'

const url = 'https://sms.example.org'
let cli: Cli
let accountId: string
beforeEach(async () => {
  cli = await openCli({ ONESIXTY_PUBLIC_URL: url })
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
})
afterEach(() => cli.close())

/** A person at a terminal, or a file, who waits for a phone. */
function waitForPhone({ isTTY = false } = {}) {
  const clock = createStubClock()
  const out = { said: '' }
  const interrupts = new Set<() => void>()
  const io = {
    stdout: { write: (text: string) => void (out.said += text), isTTY, columns: 80 },
    stderr: { write: () => undefined },
    stdin: (async function* none() {})(),
    env: {},
    on: (_: string, listener: () => void) => void interrupts.add(listener),
    off: (_: string, listener: () => void) => void interrupts.delete(listener),
  }
  const config = readConfig({ ...databaseSettings(cli.dataFolder), ONESIXTY_PUBLIC_URL: url })
  const tools = createCommandContext(io, config, clock)
  const ended = connectPhone(tools, { accountId, mode: 'live' }, false)
  const look = async (assertion: (said: string) => void) => {
    await eventually(async () => {
      await clock.advance(500)
      return out.said
    }, assertion)
  }
  return { tools, out, ended, look, interrupts, token: () => /[0-9a-z]{4}(?:-[0-9a-z]{4}){6}/.exec(out.said)?.[0] ?? '' } // prettier-ignore
}

test('gives address and private token as a document, and does not wait', async () => {
  const shown = await cli.json(`device connect android --account ${accountId}`)
  expect(shown).toEqual({
    url: 'https://sms.example.org/mobile/v1',
    private_token: expect.stringMatching(/^[0-9a-z]{4}(?:-[0-9a-z]{4}){6}$/),
    reach: {
      ok: false,
      steps: [
        {
          part: 'name',
          ok: false,
          summary: expect.stringContaining('sms.example.org cannot be resolved'),
          remedy: expect.stringContaining('ONESIXTY_PUBLIC_URL'),
        },
      ],
    },
  })
})

test('shows address, token and their codes, and ticks off what the phone does until its stream is open', async () => {
  const person = waitForPhone()
  await person.look((said) => expect(said).toContain('[ ] registered    waiting for the phone'))
  expect(person.out.said).toContain('https://sms.example.org/mobile/v1')
  expect(person.out.said).toMatch(/[█▀▄]{20}/)
  const deviceId = await register(person.tools, person.token())
  await person.look((said) =>
    expect(said).toContain(`[x] registered    ${deviceId}, samsung a12, app 1.68.0`),
  )
  expect(person.out.said).toContain('[x] SIMs          1: *********0001')
  await report(person.tools, deviceId, { link: 'stream', battery: { percent: 87, charging: true, at: 0 } })
  await person.look((said) => expect(said).toContain('[x] event stream  open'))
  expect(person.out.said).toContain('[x] battery       87%, charging')
  expect((await person.ended).text).toContain(`onesixty device test ${deviceId}`)
  expect(person.interrupts.size).toBe(0)
  // Without a terminal nothing is drawn over, and nothing said twice.
  expect(person.out.said).not.toContain('\u001b')
  expect(person.out.said.match(/\[x\] registered/g)).toHaveLength(1)
})

test('tells what to do with a phone that waits for Google push, and goes on waiting', async () => {
  const person = waitForPhone()
  await person.look((said) => expect(said).toContain('waiting for the phone'))
  await register(person.tools, person.token(), true)
  await person.look((said) => expect(said).toContain('Notification channel to SSE Only'))
  for (const listener of person.interrupts) listener()
  expect((await person.ended).text).toContain('Stopped waiting')
})

test('draws over what it said on a terminal', async () => {
  const person = waitForPhone({ isTTY: true })
  await person.look((said) => expect(said).toContain('waiting for the phone'))
  await register(person.tools, person.token())
  await person.look((said) => expect(said).toContain('\u001b[4A\u001b[J[x] registered'))
  for (const listener of person.interrupts) listener()
  await person.ended
})

test('Ctrl-C ends the wait, and the token stays good', async () => {
  const person = waitForPhone()
  await person.look((said) => expect(said).toContain('waiting for the phone'))
  for (const listener of person.interrupts) listener()
  expect(await person.ended).toMatchObject({ text: expect.stringContaining('stays valid') })
  expect(person.interrupts.size).toBe(0)
  expect(await register(person.tools, person.token())).toMatch(/^dev_/)
})

test('revokes the private tokens of an account, and of nobody else', async () => {
  const connect = (rest: string) =>
    cli.json<{ private_token: string; revoked: number }>(`device connect android ${rest}`)
  const { private_token: own } = await connect(`--account ${accountId}`)
  const { private_token: shared } = await connect('--shared --mode test')
  expect(await connect(`--account ${accountId} --revoke-tokens`)).toEqual({ revoked: 1 })
  const { tools, ended, interrupts, look } = waitForPhone()
  await look((said) => expect(said).toContain('waiting for the phone'))
  expect(await register(tools, own)).toBe('nobody')
  expect(await register(tools, shared)).toMatch(/^dev_/)
  for (const listener of interrupts) listener()
  await ended
})

test('needs an owner, and says what other kinds do by themselves', async () => {
  expect((await cli.run('device connect android')).code).toBe(2)
  expect((await cli.run(`device connect android --shared --account ${accountId}`)).code).toBe(2)
  expect((await cli.run('device connect android --account acc_none --json')).code).toBe(1)
  expect((await cli.run('device connect androit')).stderr).toContain("Did you mean 'android'?")
  expect((await cli.run('device connect smpp')).stdout).toContain(
    'The server connects devices of the kind smpp by itself.',
  )
})
