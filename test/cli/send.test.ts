import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

const key = 'onesixty_live_secret-that-must-not-be-shown'
const message = { id: 'msg_1', to: '+4915112345678', status: 'queued', final: false, parts: 1, error: null }
const sent = {
  id: 'snd_1',
  dry_run: false,
  totals: { parts: 1, balance_available: 9 },
  warnings: [{ code: 'simulated', message: 'It is a simulator.' }],
  messages: [message],
}

interface Seen {
  line: string
  headers: IncomingMessage['headers']
  body: unknown
}
let cli: Cli
let server: Server
let seen: Seen[]
let answers: { status: number; body: unknown }[]

beforeEach(async () => {
  seen = []
  answers = []
  server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({
        line: `${request.method} ${request.url}`,
        headers: request.headers,
        body: body === '' ? null : JSON.parse(body),
      })
      const answer = answers.shift() ?? { status: 500, body: {} }
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cli = await openCli({ ONESIXTY_PORT: String((server.address() as AddressInfo).port) })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await cli.close()
})

const send = (...rest: string[]) =>
  cli.run(['send', '--to', '+4915112345678', '--text', 'Hi there', '--key-stdin', ...rest], `${key}\n`)

test('a send that only own devices carry costs nothing, and a dry run says so, too', async () => {
  const free = { ...sent, warnings: [], messages: [{ ...message, cost: { paid_by: 'own_device' } }] }
  answers = [
    { status: 202, body: free },
    { status: 200, body: { ...free, dry_run: true } },
  ]
  const cost = 'Cost: none for 1 SMS, because only own devices send them. Balance: 9 SMS.\n'
  expect((await send()).stdout).toBe(`msg_1  +4915112345678  queued  1 SMS\n${cost}`)
  expect((await send('--dry-run')).stdout).toContain(`Nothing was sent. ${cost}`)
})

test('with a fallback the cost is the most that it can be, until an own device has sent it for nothing', async () => {
  const waiting = { ...message, fallback: 'shared', cost: { paid_by: 'balance' } }
  const carried = { ...waiting, id: 'msg_2', cost: { paid_by: 'own_device' }, status: 'sent', final: true }
  answers = [
    { status: 202, body: { ...sent, warnings: [], messages: [waiting] } },
    { status: 202, body: { ...sent, warnings: [], messages: [waiting] } },
    { status: 200, body: { data: [{ ...carried, id: 'msg_1' }] } },
  ]
  expect((await send('--fallback', 'shared')).stdout).toContain('Cost: at most 1 SMS. Balance: 9 SMS.')
  expect(seen[0]?.body).toMatchObject({ fallback: 'shared' })
  expect((await send('--fallback', 'shared', '--wait')).stdout).toContain('Cost: none for 1 SMS')
})

test('sends as any program would, with the key from standard input and an Idempotency-Key', async () => {
  answers = [{ status: 202, body: sent }]
  const { code, stdout, stderr } = await send('--from', 'Shop', '--to', '+4915112345679')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(
    'msg_1  +4915112345678  queued  1 SMS\nwarning: It is a simulator.\nCost: 1 SMS. Balance: 9 SMS.\n',
  )
  expect(seen[0]).toMatchObject({
    line: 'POST /api/v1/send',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
    body: { to: ['+4915112345678', '+4915112345679'], text: 'Hi there', from: 'Shop' },
  })
})

test('takes the key from a file, or from a file of settings', async () => {
  const file = `${cli.dataFolder}/key`
  await writeFile(file, `${key}\n`)
  await writeFile(`${file}.env`, `# mine\nONESIXTY_API_KEY="${key}"\nOTHER=1\n`)
  for (const source of [
    ['--key-file', file],
    ['--env-file', `${file}.env`],
  ]) {
    answers = [{ status: 202, body: sent }]
    expect((await cli.run(['send', '--to', '+4915112345678', '--text', 'x', ...source])).code).toBe(0)
    expect(seen.pop()?.headers.authorization).toBe(`Bearer ${key}`)
  }
  await writeFile(`${file}.env`, 'OTHER=1\n')
  expect(
    (await cli.run(['send', '--to', '+4915112345678', '--text', 'x', '--env-file', `${file}.env`, '--json']))
      .stderr,
  ).toContain('no_key')
  expect((await cli.run('send --to +4915112345678 --text x --key-file /nowhere --json')).stderr).toContain(
    'unreadable_file',
  )
})

test('wants the key from one place, and never from an argument', async () => {
  expect((await cli.run('send --to +4915112345678 --text x')).code).toBe(2)
  expect((await send('--key-file', 'x')).code).toBe(2)
  expect((await cli.run(['send', '--to', '+4915112345678', '--text', 'x', '--key', key])).code).toBe(2)
  expect(
    (
      await cli.run(
        ['send', '--to', '+4915112345678', '--text', 'x', '--key-stdin', '--json'],
        'two\nlines\n',
      )
    ).stderr,
  ).toContain('not_one_line')
  expect(seen).toEqual([])
})

test('with --wait it follows the send until every message is final', async () => {
  const inState = (status: string, final: boolean) => ({
    status: 200,
    body: { data: [{ ...message, status, final }] },
  })
  const notYet = { status: 200, body: { data: [] } }
  answers = [{ status: 202, body: sent }, notYet, inState('sent', false), inState('delivered', true)]
  const { code, stdout } = await send('--wait', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id: 'snd_1', messages: [{ status: 'delivered', final: true }] })
  expect(seen.map((request) => request.line)).toEqual([
    'POST /api/v1/send',
    'GET /api/v1/history?send_id=snd_1&limit=100&order=asc',
    'GET /api/v1/history?send_id=snd_1&limit=100&order=asc',
    'GET /api/v1/history?send_id=snd_1&limit=100&order=asc',
  ])
})

test('a message that did not arrive makes the exit code 1 and says why', async () => {
  const failed = {
    ...message,
    status: 'failed',
    final: true,
    error: { code: 'device_error', message: 'The device refused.' },
  }
  answers = [
    { status: 202, body: sent },
    { status: 200, body: { data: [failed] } },
  ]
  const { code, stdout } = await send('--wait')
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('failed  1 SMS  device_error: The device refused.'),
  ])
})

test('says what the server refused, in its words and with its code', async () => {
  answers = [
    {
      status: 402,
      body: {
        code: 'insufficient_balance',
        title: 'T',
        detail: 'Needs 1 SMS, 0 are available. Nothing was sent.',
      },
    },
  ]
  expect(await send('--json')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      '{"error":{"code":"insufficient_balance","message":"T Needs 1 SMS, 0 are available. Nothing was sent."}}\n',
  })
})

test('what was refused is said by what is wrong, then by what to do', async () => {
  answers = [
    {
      status: 401,
      body: {
        code: 'invalid_token',
        title: 'The API key is invalid.',
        detail: 'Copy it whole. Nothing was sent.',
      },
    },
  ]
  expect((await send()).stderr).toBe('onesixty: The API key is invalid. Copy it whole. Nothing was sent.\n')
})

test('when the time is over before every message is final it says so, and that they go on', async () => {
  answers = [
    { status: 202, body: sent },
    { status: 200, body: { data: [message] } },
    { status: 200, body: { data: [message] } },
    { status: 200, body: { data: [message] } },
    { status: 200, body: { data: [message] } },
  ]
  const { code, stdout } = await send('--wait', '--wait-seconds', '1')
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(
      'Not final after 1 s. Sending continues: read the status with GET /api/v1/history.',
    ),
  ])
})

test('a server that cannot be asked for a while is asked again, and what it refuses for good loses nothing that is known', async () => {
  answers = [
    { status: 202, body: sent },
    { status: 503, body: { code: 'unavailable', title: 'T' } },
    { status: 200, body: { data: [{ ...message, status: 'delivered', final: true }] } },
  ]
  expect(await send('--wait')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('msg_1  +4915112345678  delivered'),
  })
  answers = [
    { status: 202, body: sent },
    { status: 403, body: { code: 'insufficient_scope', title: 'The key may not read.' } },
  ]
  const { code, stdout } = await send('--wait')
  answers = [
    { status: 202, body: sent },
    { status: 200, body: null },
    { status: 403, body: { code: 'insufficient_scope' } },
  ]
  expect(JSON.parse((await send('--wait', '--json')).stdout)).toMatchObject({
    id: 'snd_1',
    messages: [message],
    fault: { code: 'insufficient_scope' },
  })
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /msg_1 .*queued[^]*accepted and continues; do not send it again.*The key may not read\./,
    ),
  ])
})

test('an answer that leaves it open whether the send was stored says how to repeat it', async () => {
  answers = [{ status: 503, body: { code: 'outcome_unknown', title: 'Nobody knows.' } }]
  expect((await send('--idempotency-key', 'mine')).stderr).toContain('--idempotency-key mine')
})

test('when the answer is lost it says how to repeat without sending twice', async () => {
  server.removeAllListeners('request')
  server.on('request', (request) => request.socket.destroy())
  const { code, stderr } = await send('--idempotency-key', 'mine')
  expect(code).toBe(1)
  expect(stderr).toContain('No response from ')
  expect(stderr).toContain('--idempotency-key mine')
  expect(stderr).not.toContain(key)
})

test('when nobody listens it says that nothing was sent', async () => {
  const { port } = server.address() as AddressInfo
  server.close()
  server.closeAllConnections()
  const { code, stderr } = await send('--idempotency-key', 'mine')
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`No response from http://127.0.0.1:${port}: .*ECONNREFUSED`))
  expect(stderr).toContain('Nothing was sent.')
  expect(stderr).not.toContain(key)
})

test('to a server with TLS of its own it speaks TLS, and what fails before the key is shown has sent nothing', async () => {
  const { port } = server.address() as AddressInfo
  const own = { ONESIXTY_PORT: String(port), ONESIXTY_TLS_CERT: 'cert.pem', ONESIXTY_TLS_KEY: 'key.pem' }
  const beside = await openCli(own)
  const args = ['send', '--to', '+4915112345678', '--text', 'x', '--key-stdin']
  const { code, stderr } = await beside.run(args, `${key}\n`)
  await beside.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`No response from https://localhost:${port}: `)
  expect(stderr).toContain('Nothing was sent.')
  expect(stderr).not.toContain('may have been accepted')
  expect(seen).toEqual([])
})
