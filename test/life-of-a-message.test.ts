import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiMessage, createApiClient } from './api-client.ts'
import { eventually } from './eventually.ts'
import { startServerProcess, temporaryFolder } from './harness.ts'
import { cliJson } from './run-command.ts'
import { type LifeHouse, number, openLifeHouse } from './life-house.ts'

/** The whole program over real HTTP, with the clock of the machine: everything runs at once, so that the waits overlap. */
// Many commands start at once, each a process of its own.
vi.setConfig({ testTimeout: 30_000 })

/** A server follows the command line within a second; a machine that is busy with other tests gets one more. */
const soonMs = 2_000

let house: LifeHouse
beforeAll(async () => {
  house = await openLifeHouse()
})
afterAll(() => house.stop())

const onesixty = <T>(...args: string[]): Promise<T> => cliJson<T>(args, house.dataFolder)
const attachSimulator = (accountId: string, ...settings: string[]): Promise<{ id: string }> =>
  onesixty(
    'device', 'add', 'simulator', '--account', accountId, '--name', 'S', ...settings.flatMap((setting) => ['--set', setting]),
  ) // prettier-ignore

test.concurrent('the first start prints keys and a curl line that works as it stands', async () => {
  const dataFolder = await temporaryFolder()
  const server = await startServerProcess({ dataFolder })
  const client = createApiClient(server.url)
  try {
    expect(server.first).toMatchObject({
      liveKey: /^onesixty_live_\w{49}$/,
      testKey: /^onesixty_test_\w{49}$/,
    })
    const { testKey, liveKey, accountId } = server.first!
    const line = /curl (\S+) -H 'Authorization: Bearer (\S+)'.* -d '(\{.*\})'/.exec(server.output())
    expect(line?.slice(1, 3)).toEqual([`http://localhost:${server.port}/api/v1/send`, testKey])
    const sent = await client.send(testKey, JSON.parse(line![3]!) as object)
    expect(sent.status).toBe(202)
    await eventually(
      () => client.history(testKey),
      ([message]) => expect(message?.status).toBe('delivered'),
    )
    expect(await client.balance(liveKey)).toMatchObject({ account_id: accountId, available: 10, granted: 10 })
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  } finally {
    client.close()
    await server.kill('SIGKILL')
    await rm(dataFolder, { recursive: true, force: true })
  }
})

test.concurrent('an account made by the command line has 10 SMS, and 153 euro signs take 3 of them', async () => {
  const ada = await onesixty<{ account_id: string; live_key: string; test_key: string }>(
    'account',
    'create',
    '--name',
    'Ada',
    '--email',
    'ada@example.org',
  )
  expect(await house.client.balance(ada.live_key)).toMatchObject({
    account_id: ada.account_id,
    mode: 'live',
    available: 10,
    granted: 10,
  })
  expect(await house.refusal(ada.live_key, { to: number })).toEqual({
    status: 503,
    code: 'no_sender_available',
  })
  await attachSimulator(ada.account_id, 'delay_ms=0')
  await canSend(ada.live_key)
  const answer = await house.client.send(ada.live_key, { to: number, text: '€'.repeat(153) })
  expect(answer).toMatchObject({
    status: 202,
    body: { mode: 'live', content: { parts: 3, encoding: 'gsm7' } },
  })
  expect(answer.body.totals).toEqual({ recipients: 1, parts: 3, balance_available: 7 })
  expect(answer.body.warnings.map(({ code }) => code)).toContain('simulated')
  expect((await house.client.balance(ada.live_key)).available).toBe(7)
  await house.reached(ada.live_key, answer.body.messages[0]!.id, 'delivered')
  expect(await house.client.balance(ada.live_key)).toMatchObject({ available: 7, reserved: 0, used: 3 })
})

test.concurrent('fifty sends at once under one key are one message and one charge', async () => {
  const { testKey } = await house.openAccount('Repeater')
  const body = { to: '+15005550006', text: 'Once', client_reference: 'once' }
  const once = () => house.client.send(testKey, body, { 'idempotency-key': 'k-1' })
  const answers = await Promise.all(Array.from({ length: 50 }, once))
  answers.push(await once())
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]))
  const accepted = answers.filter(({ status }) => status === 202)
  for (const { status, body: problem } of answers)
    if (status === 409) expect(problem.code).toBe('idempotency_in_progress')
  const first = accepted.find(({ headers }) => headers['idempotent-replayed'] === undefined)
  expect(accepted.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
  for (const { body: repeated } of accepted) expect(essence(repeated)).toEqual(essence(first!.body))
  expect(await house.client.history(testKey, 'client_reference=once')).toHaveLength(1)
  const { reserved, used, available } = await house.client.balance(testKey)
  expect({ spent: reserved + used, available }).toEqual({ spent: 1, available: 999 })
  const other = await house.client.send(testKey, { ...body, text: 'Twice' }, { 'idempotency-key': 'k-1' })
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
})

/** What an answer that is given again must have in common with the first; the message has moved on meanwhile. */
const essence = (send: { id: string; totals: object; messages: ApiMessage[] }): object => ({
  id: send.id,
  totals: send.totals,
  messages: send.messages.map(({ id, to, text, parts }) => ({ id, to, text, parts })),
})

test.concurrent('of forty sends at once with ten SMS exactly ten are accepted', async () => {
  const account = await house.openAccount('Racer')
  await attachSimulator(account.accountId, 'offline=true')
  await canSend(account.liveKey)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      house.client.send(account.liveKey, { to: number, text: `Race ${i}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status === 402)
  expect(refused).toHaveLength(30)
  expect(refused[0]!.body).toMatchObject({ code: 'insufficient_balance', required: 1, available: 0 })
  expect(await house.client.balance(account.liveKey)).toMatchObject({ available: 0, reserved: 10, used: 0 })
  expect(await house.client.history(account.liveKey)).toHaveLength(10)
})

test.concurrent('a suspended account reads and may not send; what waits goes on when it is active again', async () => {
  const account = await house.openAccount('Suspended')
  const { id: device } = await attachSimulator(account.accountId, 'offline=true', 'delay_ms=0')
  await canSend(account.liveKey)
  const { id } = await house.sendOne(account.liveKey)
  await onesixty('account', 'suspend', '--account', account.accountId)
  await soon(() => house.refusal(account.liveKey, { to: number, dry_run: true }), {
    status: 403,
    code: 'account_suspended',
  })
  expect(await house.refusal(account.liveKey, { to: number })).toEqual({
    status: 403,
    code: 'account_suspended',
  })
  await onesixty('device', 'set', device, '--set', 'offline=false')
  expect(await house.client.balance(account.liveKey)).toMatchObject({ reserved: 1 })
  // As long as a server may take to see a change, and a poll: nothing goes while the account is suspended.
  await seen(device, 'online')
  expect((await house.client.message(account.liveKey, id)).status).toBe('queued')
  await onesixty('account', 'reactivate', '--account', account.accountId)
  await house.reached(account.liveKey, id, 'delivered', 3_000)
})

test.concurrent('a closed account is refused, and what waited is canceled and costs nothing', async () => {
  const account = await house.openAccount('Closed')
  await attachSimulator(account.accountId, 'offline=true')
  await canSend(account.liveKey)
  const { id } = await house.sendOne(account.liveKey)
  const closed = await onesixty('account', 'close', '--account', account.accountId)
  expect(closed).toMatchObject({ state: 'closed', canceled_messages: 1 })
  await soon(() => house.refusal(account.liveKey, { to: number, dry_run: true }), {
    status: 401,
    code: 'invalid_token',
  })
  const row = await house.app.storage.read
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    status: 'canceled',
    error_code: 'account_closed',
    cost_state: 'released',
    charged: 0,
  })
})

test.concurrent('a revoked key is refused within 5 s, and its neighbour is not', async () => {
  const account = await house.openAccount('Revoker')
  const made = await onesixty<{ id: string; key: string }>(
    'key', 'create', '--account', account.accountId, '--name', 'Second', '--mode', 'test',
  ) // prettier-ignore
  await house.sendOne(made.key, '+15005550006')
  await onesixty('key', 'revoke', '--key', made.id)
  await eventually(
    () => house.refusal(made.key, { to: '+15005550006' }),
    (answer) => expect(answer).toEqual({ status: 401, code: 'invalid_token' }),
    5_000,
  )
  await house.sendOne(account.testKey, '+15005550006')
})

test.concurrent('a grant raises the balance of the one wallet that it names', async () => {
  const account = await house.openAccount('Granted')
  await onesixty('account', 'grant', '--account', account.accountId, '--sms', '100', '--note', 'Invoice 7')
  expect(await house.client.balance(account.liveKey)).toMatchObject({ available: 110, granted: 110 })
  expect(await house.client.balance(account.testKey)).toMatchObject({ available: 1_000, granted: 1_000 })
  await house.sendOne(account.testKey, '+15005550006')
  expect((await house.client.balance(account.testKey)).available).toBe(999)
  expect((await house.client.balance(account.liveKey)).available).toBe(110)
})

test.concurrent("someone else's messages are absent, by their id, their send and their number", async () => {
  const [owner, stranger] = await Promise.all([house.openAccount('Owner'), house.openAccount('Stranger')])
  const { id, send_id } = await house.sendOne(owner.testKey, '+15005550006', { client_reference: 'mine' })
  for (const key of [stranger.testKey, stranger.liveKey, owner.liveKey]) {
    for (const query of [`id=${id}`, `send_id=${send_id}`, 'to=%2B15005550006', 'client_reference=mine', ''])
      expect(await house.client.history(key, query), query).toEqual([])
  }
  expect(await house.client.history(owner.testKey, `id=${id}`)).toHaveLength(1)
})

/** A change made by the command line is seen by the running server soon after the command's end. */
async function soon(look: () => Promise<object>, expected: object): Promise<void> {
  await eventually(look, (found) => expect(found).toEqual(expected), soonMs)
}

/** Waits until the running device has reported this status. */
async function seen(device: string, status: string): Promise<void> {
  const read = () =>
    house.app.storage.read
      .selectFrom('device_reports')
      .select('status')
      .where('device_id', '=', device)
      .executeTakeFirst()
  await eventually(read, (report) => expect(report?.status).toBe(status))
}

/** Waits until the server has taken up the account's device. */
const canSend = (key: string): Promise<object> =>
  eventually(
    () => house.refusal(key, { to: number, dry_run: true }),
    ({ status }) => expect(status).toBe(200),
    soonMs,
  )
