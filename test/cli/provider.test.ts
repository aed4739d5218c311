import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownDeclarationText } from '../../src/connectors/providers.ts'
import { cli, cliJson } from '../run-command.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'onesixty-provider-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) => cli(['provider', ...args], { dataFolder: folder })
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('the list names each provider, what it can do, and that it was not tried at the service', async () => {
  const { providers } = await cliJson<{ providers: object[] }>(['provider', 'list'], folder)
  expect(providers).toContainEqual(
    expect.objectContaining({
      name: 'twilio',
      does: ['receipts', 'received messages', 'look-up', 'balance'],
      tried: null,
    }),
  )
  const { stdout } = await run('list')
  expect(stdout).toContain('twilio  Twilio: receipts')
  expect(stdout).toContain('aws-sns  Amazon SNS: neither receipts nor received messages;')
  expect(stdout).toContain('not tried at the service')
})

test('a declaration that is shown can be checked again as one of your own', async () => {
  const { stdout } = await run('show', 'twilio')
  expect(JSON.parse(stdout)).toEqual(JSON.parse(ownDeclarationText('twilio') ?? ''))
  const checked = await run('check', fileOf('own.json', stdout))
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {2}twilio: \d+ examples\n$/) })
  expect(await run('show', 'twillio')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'there are aws, aws-sns, infobip, onesixty, plivo, telnyx, twilio, vonage',
    ),
  })
})

test('a fault is named with its line, its place and what to do', async () => {
  const text = (ownDeclarationText('twilio') ?? '').replace('"{text}"', '"{txt}"')
  const line = text.split('\n').findIndex((each) => each.includes('{txt}')) + 1
  expect(await run('check', fileOf('wrong.json', text))).toMatchObject({
    code: 1,
    stdout: `FAIL  line ${line}, /send/form/Body: Nothing here is called {txt}. Did you mean {text}?\n`,
  })
  const missing = await run('check', fileOf('missing.json', '{\n  "format": 1\n}'))
  expect(missing.stdout).toContain('FAIL  line 1, /send: `send` is required.')
})

test('an example that fails is named with what was expected', async () => {
  const declaration = JSON.parse(ownDeclarationText('twilio') ?? '') as { send: { answers: unknown[] } }
  declaration.send.answers.unshift({ status: '400', means: 'busy' })
  const checked = await run('check', fileOf('changed.json', JSON.stringify(declaration)))
  expect(checked.code).toBe(1)
  expect(checked.stdout).toContain("FAIL  example 'the recipient opted out': Expected")
})

test('the request is shown as it would leave, with the names of its secrets', async () => {
  const shown = await run(
    'check',
    'twilio',
    '--to',
    '+4915112345678',
    '--text',
    'A & B',
    '--set',
    'account_sid=AC1',
  )
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain('POST https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json\n')
  expect(shown.stdout).toContain('authorization: Basic AC1:‹auth_token›\n')
  expect(shown.stdout).toContain('Body=A+%26+B')
  const without = await run('check', 'twilio', '--to', '+4915112345678', '--text', 'Hi')
  expect(without).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('FAIL  Give the settings of the account: account_sid.'),
  })
  expect(await run('check', 'twilio', '--to', '+4915112345678')).toMatchObject({ code: 2 })
})
