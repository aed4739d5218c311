import { expect, test } from 'vitest'
import { connectGuided } from '../../src/cli/device/guide/connect-guided.ts'
import { createCommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { databaseSettings } from '../test-database.ts'
import { openVisitHouse, type VisitHouse } from './visit-house.ts'

const own = '+4915550001234'

/** A person at a terminal who answers each question, once it is shown, with what comes after it. */
function sitDown({ server }: VisitHouse, answers: readonly (readonly [question: RegExp, answer: string])[]) {
  const out = { said: '', read: 0, raw: [] as boolean[] }
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
  const io = {
    stdin,
    stdout: { write: (text: string) => void (out.said += text), isTTY: true, columns: 80 },
    stderr: { write: () => undefined },
    env: {},
  }
  const port = new URL(server.url).port
  const config = readConfig({ ...databaseSettings(server.dataFolder), ONESIXTY_PORT: port })
  return { out, ended: connectGuided(createCommandContext(io, config), 'android') }
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
    [/6\/9 Battery[\s\S]*Press Enter/, ''],
    [/Send to \[\+4915550001234\]: /, 'nonsense'],
    [/\[!\] .*\nSend to \[nonsense\]: /, own],
    [/Enter ends without an answer\./, ''],
  ])
  const { json } = await ended
  expect(json).toEqual({ id: house.deviceId })
  expect(out.said).toContain('[x] 7/9 Number: +4915550001234')
  expect(out.said).toContain('[-] 9/9 Answer it')
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
