import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { connectGuided } from '../../src/cli/device/guide/connect-guided.ts'
import { sendTest } from '../../src/cli/device/send-test.ts'
import { type CommandIo, createCommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import type { CommandStorage } from '../../src/storage/open/command-storage.ts'
import { FaultProxy } from '../peers/fault-proxy.ts'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { databaseSettings } from '../test-database.ts'
import { startLocalPhone } from './local-phone.ts'
import { openVisitHouse, type VisitHouse } from './visit-house.ts'

const own = '+4915550001234'

/** A person at a terminal who answers each question, once it is shown, with what comes after it. */
function sitDown(
  { server }: VisitHouse,
  answers: readonly (readonly [question: RegExp, answer: string])[],
  port = new URL(server.url).port,
) {
  const out = { said: '', read: 0, raw: [] as boolean[], interrupt: () => undefined as void }
  async function* typed(): AsyncGenerator<string> {
    for (const [question, answer] of answers) {
      await eventually(
        () => out.said.slice(out.read),
        (unread) => expect(unread).toMatch(question),
        20_000,
      )
      out.read = out.said.length
      yield `${answer}\n`
    }
    // Nothing more is typed: as a terminal, it stays open.
    await new Promise(() => undefined)
  }
  const stdin = Object.assign(typed(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void out.raw.push(isRaw),
    destroy: () => undefined,
  })
  const { tools } = contextOf(server.dataFolder, `http://127.0.0.1:${port}`, {
    stdin,
    stdout: { write: (text: string) => void (out.said += text), isTTY: true, columns: 80 },
    stderr: { write: () => undefined },
    on: (_, listener) => void (out.interrupt = listener),
    off: () => undefined,
  })
  return { out, ended: connectGuided(tools, 'android'), interrupt: () => out.interrupt() }
}

const noTerminal = {
  stdin: (async function* () {})(),
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
}

/** What a command has that talks to a server. */
function contextOf(dataFolder: string, url: string, io: Omit<CommandIo, 'env'> = noTerminal) {
  const config = readConfig({ ...databaseSettings(dataFolder), ONESIXTY_PORT: new URL(url).port })
  return { tools: createCommandContext({ ...io, env: {} }, config) }
}

test('a guide that is started again resumes with the device; each failure is shown where it is, and asked again', async () => {
  const house = await openVisitHouse()
  const before = (await house.history()).length
  const { out, ended } = sitDown(house, [
    [/Connection \[1\]: /, '7'],
    [/Enter a number from 1 to 3\.\nConnection \[1\]: /, ''],
    [/Local address \(empty.*\): /, '8.8.8.8'],
    [/\[!\] The address needs host or host:port with a private[^\n]*\nLocal address/, '127.0.0.1:9'],
    [/\[!\] No answer from 127\.0\.0\.1:9\.\n {4}Usually the phone is asleep/, house.address],
    [/Username \[sms\]: /, ''],
    [/Password, not shown: /, 'wrong'],
    [/\[!\] Wrong user name or password[\s\S]*Username \[sms\]: /, ''],
    [/Password, not shown: /, house.password],
    [/6\/10 Battery[\s\S]*Press Enter/, ''],
    [/8\/10 Daily limit[\s\S]*SMS a day for each API key, such as 200 \(empty: no limit\): /, '0'],
    [/\[!\] The daily limit must be a whole number of SMS above 0\.\nSMS a day/, '150'],
    [
      /\[x\] 8\/10 Daily limit: Each API key sends at most 150 SMS a day\.[\s\S]*Send to \[\+4915550001234\]: /,
      'nonsense',
    ],
    [/\[!\] .*\nSend to \[nonsense\]: /, own],
    [/Enter ends without an answer\./, ''],
  ])
  const { json } = await ended
  expect(json).toEqual({ id: house.deviceId })
  expect(out.said).toContain('[x] 7/10 Number: +4915550001234')
  expect(out.said).toContain('[-] 10/10 Answer it')
  expect(out.said).not.toContain(house.password)
  expect(out.raw).toEqual([true, false, true, false])
  const sent = (await house.history()).length - before
  expect(sent).toBe(1)
  // The keys of both requests ended with them.
  const { keys } = await cliJson<{ keys: { name: string; state: string }[] }>(
    ['key', 'list', '--account', house.accountId],
    house.server.dataFolder,
  )
  expect(keys.filter(({ name }) => name === 'device connect').map(({ state }) => state)).toEqual([
    'revoked',
    'revoked',
  ])
}, 60_000)

test('back returns to each earlier choice, a shared phone in test mode can be chosen, and no private token is left behind', async () => {
  const house = await openVisitHouse()
  const { out, ended } = sitDown(house, [
    [/live messages of acc_\w+\. s: shared[^\n]*\nConnection \[1\]: /, 'back'],
    [/This is the first step\.[\s\S]*Connection \[1\]: /, 's'],
    [/live messages of all accounts\.\nConnection \[1\]: /, 't'],
    [/test messages of all accounts\.\nConnection \[1\]: /, 's'],
    [/Connection \[1\]: /, 't'],
    [/live messages of acc_\w+\.\nConnection \[1\]: /, '2'],
    [/The link, for the browser of the phone:\n[^]*Enter continues without it\.\n/, ''],
    [/Private Token, shown only once:\n {4}(\S+)[^]*Waiting for the phone\./, 'back'],
    [/2\/10 Choose the connection\n[^]*Connection \[1\]: /, ''],
    [/3\/10 Address\n[^]*Local address \(empty.*\): /, house.address],
    [/Username \[sms\]: /, 'back'],
    [/Local address \[127\.0\.0\.1:\d+\]: /, ''],
    [/Username \[sms\]: /, ''],
    [/Password, not shown: /, house.password],
    [/Press Enter when/, 'back'],
    [/dev_\w+ stays connected; \S.* device remove dev_\w+ removes it\.[^]*Username \[sms\]: /, ''],
    [/Password, not shown: /, house.password],
    [/Press Enter when/, ''],
    [/SMS a day[^:]*: /, 'back'],
    [/Press Enter when/, ''],
    [/SMS a day[^:]*: /, ''],
    [/Send to \[.*\]: /, own],
    [/Enter ends without an answer\./, 'back'],
    [/9\/10 Test SMS to yourself[^]*Send to \[.*\]: /, own],
    [/Enter ends without an answer\./, ''],
  ])
  expect((await ended).json).toEqual({ id: house.deviceId })
  expect(out.said).toContain('No phone has used the private token: it is revoked.')
  const tokens = await cliJson<{ revoked: number }>(
    ['device', 'connect', 'android', '--account', house.accountId, '--revoke-tokens'],
    house.server.dataFolder,
  )
  expect(tokens).toEqual({ revoked: 0 })
  // Each of both tests was sent once.
  expect((await house.history()).filter(({ to }) => to === own)).toHaveLength(2)
}, 60_000)

test('a phone is connected for all accounts, whose limits are not asked for, and Ctrl-C leaves it and no private token', async () => {
  const house = await openVisitHouse()
  // Another phone: the server visits each for one owner.
  const other = await startLocalPhone({ seed: 7 })
  const { out, ended, interrupt } = sitDown(house, [
    [/Connection \[1\]: /, '2'],
    [/Enter continues without it\.\n/, ''],
    [/Private Token, shown only once:[^]*Waiting for the phone\./, 'back'],
    [/Connection \[1\]: /, 's'],
    [/live messages of all accounts\.\nConnection \[1\]: /, ''],
    [/Local address \(empty.*\): /, other.address],
    [/Username \[sms\]: /, ''],
    [/Password, not shown: /, other.password],
    [/Press Enter when/, ''],
  ])
  await eventually(
    () => out.said,
    (said) => expect(said).toContain('[-] 8/10 Daily limit: The phone is shared: each account limits its own API keys.'),
    20_000,
  )
  interrupt()
  await expect(ended).rejects.toThrow('Interrupted.')
  expect(out.said).toContain('No phone has used the private token: it is revoked.')
  const { devices } = await cliJson<{ devices: { kind: string; account_id: string | null }[] }>(
    ['device', 'list'],
    house.server.dataFolder,
  )
  const owners = devices.filter(({ kind }) => kind === 'android').map(({ account_id }) => account_id)
  expect(new Set(owners)).toEqual(new Set([house.accountId, null]))
}, 60_000) // prettier-ignore

test('a test SMS whose answer was lost is sent once, however often it is repeated', async () => {
  const house = await openVisitHouse()
  const proxy = new FaultProxy({ target: { host: '127.0.0.1', port: Number(new URL(house.server.url).port) } })
  const port = String(await proxy.listen())
  onTestFinished(() => proxy.close())
  // The request arrives, and its answer does not.
  proxy.cutAfter('toClient', 20, 'rst')
  const { out, ended } = sitDown(
    house,
    [
      [/Connection \[1\]: /, ''],
      [/Local address \(empty.*\): /, house.address],
      [/Username \[sms\]: /, ''],
      [/Password, not shown: /, house.password],
      [/Press Enter when/, ''],
      [/SMS a day[^:]*: /, ''],
      [/Send to \[.*\]: /, ''],
      [/\[!\] (?:No|Invalid) response from [^\n]* send it to the same number again, which sends it only once\.\nSend to \[.*\]: /, ''],
      [/Enter ends without an answer\./, ''],
    ],
    port,
  )
  await ended
  expect(out.said).toContain('[x] 9/10 Test SMS to yourself')
  expect((await house.history()).filter(({ to }) => to === own)).toHaveLength(1)
  expect(proxy.state().cuts).toBe(1)
}, 60_000) // prettier-ignore

test('a test SMS that was accepted is known when its API key cannot be revoked, and the key is named', async () => {
  const house = await openVisitHouse()
  const { tools } = contextOf(house.server.dataFolder, house.server.url)
  const sent = await tools.withStorage(({ writer }) => {
    let writes = 0
    const failing: Pick<CommandStorage, 'writer'>['writer'] = Object.assign(Object.create(writer), {
      write: (unit: Parameters<typeof writer.write>[0]) => {
        writes += 1
        return writes === 1 ? writer.write(unit) : Promise.reject(new Error('database is locked'))
      },
    })
    const sms = { to: own, from: null, key: randomUUID() }
    return sendTest(tools, { writer: failing }, { accountId: house.accountId, mode: 'live' }, sms)
  })
  expect(sent.messageId).toBe((await house.history()).find(({ to }) => to === own)?.id)
  expect(sent.leftKeyId).toMatch(/^key_/)
})
