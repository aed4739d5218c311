import { expect, onTestFinished, test } from 'vitest'
import type { AnyCall } from '../src/api/console/core/call.ts'
import { calls } from '../src/api/console/calls.ts'
import { newVisitor, totp, type Visitor } from './console/visitor.ts'
import { createApiClient } from './api-client.ts'
import { eventually } from './eventually.ts'
import { cliProcess, startServerProcess, temporaryFolder } from './harness.ts'
import { cliJson } from './run-command.ts'
import { openPhoneHouse } from './phones/phone-house.ts'
import { removeTestFolder } from './test-database.ts'
import { openReceiver } from './webhooks/receiver.ts'

/**
 * Words that stand nowhere else, one for each thing that nobody may find in a log or a metric at level debug, in a refusal, nor in what
 * somebody else is told: the pages, the questions of the API, and every reading call of the console.
 */
const marks = {
  text: 'canary-text-60417',
  reference: 'canary-reference-11',
  number: '+4915133377701',
  idempotencyKey: 'canary-idempotency-77',
  wrongKey: 'onesixty_live_canarykeycanarykeycanarykeycanarykey',
  query: 'canary-query-5',
  password: 'canary-password-of-ada-931',
  wrongPassword: 'canary-wrong-password-404',
  linkPassword: 'canary-link-password-8',
  path: 'canary-path-31',
  wrongCode: 'canary-code-5519',
  privateToken: 'canary-private-token-of-a-phone-77',
  deviceToken: 'canary-device-token-of-a-phone-78',
  hookSecret: 'canary-hook-secret-79',
  inboundText: 'canary-inbound-8812',
  inboundNumber: '+4915133377702',
  simNumber: '+4915133377703',
  iccid: '8949000000060417001',
  reason: 'canary-reason-of-a-phone-13',
  operatorToken: `onesixty_operator_${'canary'.repeat(8)}`,
  note: 'canary-note-2026',
}

/** Expects each word in none of the places, in whatever form it could stand there. */
function expectNowhere(words: Readonly<Record<string, string>>, places: Readonly<Record<string, string>>): void {
  for (const [name, word] of Object.entries(words)) {
    // An empty word would be everywhere, and one that is short in some place by chance.
    expect(word.length, name).toBeGreaterThan(7)
    for (const form of [word, word.replace('+', ''), encodeURIComponent(word), Buffer.from(word).toString('base64').replace(/=+$/, '')])
      expect(Object.entries(places).filter(([, text]) => text.includes(form)).map(([place]) => place), `${name} as ${form}`).toEqual([])
  }
} // prettier-ignore

/** Of marks that may stand in a refusal: what is not known is named to whoever sent it. */
const { query: _unknown, ...unnamed } = marks

/** Keeps what is refused, whoever asks. */
function keepRefusals(): {
  text(): string
  of<A extends { status: number; body?: unknown }>(answer: Promise<A>): Promise<A>
} {
  const refused: string[] = []
  return {
    text: () => refused.join('\n'),
    async of(asked) {
      const answer = await asked
      if (answer.status >= 400) refused.push(JSON.stringify(answer.body))
      return answer
    },
  }
}

async function answerAt(url: string, init: RequestInit = {}): Promise<{ status: number; body: string }> {
  const answer = await fetch(url, init)
  return { status: answer.status, body: await answer.text() }
}

/** What each key is besides the form that all keys have. */
const secretOf = (key: string): string => key.replace(/^(onesixty_[a-z]+|whsec)_/, '')

async function textAt(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, { headers })
  return [...answer.headers].join('\n') + (await answer.text())
}

/** What anybody with a key of another account is told at the API and on the pages. */
async function toldBesides(url: string, key: string): Promise<string> {
  const asked = ['api/v1/status', 'api/v1/balance', 'api/v1/history?limit=100&include=timeline', '', 'docs', 'openapi.json', 'operator/openapi.json', 'healthz', 'readyz'] // prettier-ignore
  return (
    await Promise.all(asked.map((path) => textAt(`${url}/${path}`, { authorization: `Bearer ${key}` })))
  ).join('\n')
}

/** What a call of the console needs to be told before it answers. */
const inputs: Readonly<Record<string, object>> = {
  'history/page': { filter: {} },
  'history/export': { filter: {}, format: 'json' },
  'devices/list': { hours: 24 },
  'overview/traffic': { range: '24h' },
  'balance/statement': { fromDay: 20_000, toDay: 20_300 },
}

/** What somebody else is told by every call of the console that only reads, about their own account and about another. */
async function toldInConsole(visitor: Visitor, accountIds: readonly string[]): Promise<string> {
  const reading = Object.entries(calls as Record<string, AnyCall>).filter(([, { kind }]) => kind === 'read' || kind === 'download')
  const told: string[] = []
  for (const account of accountIds)
    for (const [name] of reading) {
      const { body } = await visitor.read(name, { account, mode: 'test', input: JSON.stringify(inputs[name] ?? {}) })
      told.push(JSON.stringify(body))
    }
  return told.join('\n')
} // prettier-ignore

test('no text, number, key, password, code or secret of the API, the console and webhooks stands in the log, in the metrics, in a refusal, or in what somebody else is told', async () => {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const env = { ONESIXTY_LOG_LEVEL: 'debug', ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1', ONESIXTY_SIGNUP: 'open' }
  const server = await startServerProcess({ dataFolder, env })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const client = createApiClient(server.url)
  onTestFinished(() => client.close())

  const refusals = keepRefusals()
  const visitor = newVisitor(server.url)
  const opened = await visitor.change('sign-up/open', { name: 'Ada', email: 'ada@example.org', password: marks.password })
  const { accountId, testKey } = opened.body as { accountId: string; testKey: string }
  for (const email of ['ada@example.org', marks.wrongPassword])
    await refusals.of(newVisitor(server.url).change('session/sign-in', { email, password: marks.wrongPassword }))
  const { link } = await cliJson<{ link: string }>(['user', 'reset-link', '--email', 'ada@example.org'], dataFolder)
  const token = /[\w-]{30,}$/.exec(link)?.[0] ?? ''
  await newVisitor(server.url).change('link/look', { token })
  const { token: liveKey } = (await visitor.change(`keys/create?account=${accountId}&mode=live`, { name: 'Shop', scopes: ['messages:send', 'balance:read'], addresses: [], dailyCap: null, expiresAt: null })).body as { token: string }
  const factor = await useSecondFactor(server.url, visitor, refusals)
  const somebody = newVisitor(server.url)
  const other = (await somebody.change('sign-up/open', { name: 'Bob', email: 'bob@example.org', password: 'sieben Igel unterm Dach' })).body as { accountId: string; testKey: string }

  const url = `${receiver.url}/${marks.path}`
  const { secret } = await cliJson<{ secret: string }>(['webhook', 'add', '--account', accountId, '--url', url], dataFolder, { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' })
  let failures = 2
  receiver.handle = (_, response) => {
    response.statusCode = failures-- > 0 ? 500 : 200
    response.end(marks.text)
  }
  await cliProcess(
    ['device', 'add', 'smpp', '--account', accountId, '--name', 'Nowhere', '--host', '127.0.0.1', '--port', '1', '--system-id', 'esme', '--password-stdin'],
    { dataFolder, stdin: `${marks.linkPassword}\n` },
  )

  const send = (body: object, headers: Record<string, string> = {}) => refusals.of(client.send(testKey, body, headers))
  const sent = await send(
    { to: '+15005550006', text: marks.text, client_reference: marks.reference },
    { 'idempotency-key': marks.idempotencyKey },
  )
  expect(sent.status).toBe(202)
  await send({ to: '+15005550011', text: marks.text })
  await send({ to: '+15005550005', text: marks.text })
  await send({ to: marks.number, text: marks.text, [marks.query]: 1 })
  await send({ to: [marks.number, marks.number], text: `${marks.text}\u0000` })
  await refusals.of(client.send(liveKey, { to: marks.number, text: marks.text }))
  await textAt(`${server.url}/api/v1/balance`, { authorization: `Bearer ${liveKey}` })
  for (const [path, key] of [[`history?to=${marks.query}&client_reference=${marks.reference}`, testKey], [`nowhere/${marks.number}?${marks.query}=${testKey}`, testKey], ['balance', marks.wrongKey]] as const)
    await refusals.of(answerAt(`${server.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } }))
  await eventually(() => receiver.received.length, (count) => expect(count).toBeGreaterThan(3), 20_000)
  const metrics = await textAt(`${server.url}/metrics`)
  expect(metrics).toContain('onesixty_')
  const told = (await toldInConsole(somebody, [other.accountId, accountId])) + (await toldBesides(server.url, other.testKey))
  expect(told).toContain('bob@example.org')
  // What is looked through would show them, if it were another's: their owner is told.
  const own = (await toldInConsole(visitor, [accountId])) + (await toldBesides(server.url, testKey))
  for (const mark of [marks.text, marks.reference, marks.path]) expect(own, mark).toContain(mark)
  await server.stop()

  const log = server.output()
  // Something was said of each flow.
  for (const said of ['/api/v1/send', '/api/v1/history', '/console/api/second-factor/confirm', '/console/api/session/give-code', accountId]) expect(log, said).toContain(said)
  const minted = { testKey: secretOf(testKey), liveKey: secretOf(liveKey), token, secret: secretOf(secret), ...factor.secrets }
  expectNowhere({ ...marks, ...minted }, { log, metrics, told })
  for (const code of ['validation_failed', 'invalid_query', 'not_found', 'invalid_token', 'not_signed_in']) expect(refusals.text()).toContain(code)
  expectNowhere({ ...unnamed, ...minted }, { refusals: refusals.text() })
  // Six digits may be part of a longer number by chance.
  for (const code of factor.codes) expect(log + metrics + told).not.toMatch(new RegExp(`(?<![0-9a-z.])${code}(?![0-9a-z])`))
}, 60_000) // prettier-ignore

/** Adds a second factor and signs in with it, each with a wrong code before. Gives what was shown, and the codes that were typed. */
async function useSecondFactor(url: string, visitor: Visitor, refusals: ReturnType<typeof keepRefusals>): Promise<{ secrets: Record<string, string>; codes: string[] }> {
  const begun = await visitor.change('second-factor/begin', { password: marks.password })
  const { secret, recoveryCodes } = begun.body as { secret: string; recoveryCodes: string[] }
  const codes = [totp(secret)]
  await refusals.of(visitor.change('second-factor/confirm', { code: marks.wrongCode }))
  expect((await visitor.change('second-factor/confirm', { code: codes[0] })).status).toBe(200)
  const elsewhere = newVisitor(url)
  expect((await elsewhere.change('session/sign-in', { email: 'ada@example.org', password: marks.password })).body).toEqual({ state: 'code-needed' })
  await refusals.of(elsewhere.change('session/give-code', { code: marks.wrongCode }))
  codes.push(totp(secret, Date.now() + 30_000))
  await elsewhere.change('session/give-code', { code: codes[1] })
  await elsewhere.change('session/sign-in', { email: 'ada@example.org', password: marks.password })
  expect((await elsewhere.change('session/give-code', { code: recoveryCodes[0] })).status).toBe(200)
  const [first = '', last = ''] = [recoveryCodes[0], recoveryCodes.at(-1)]
  return { secrets: { appSecret: secret, usedRecoveryCode: first, recoveryCode: last }, codes }
} // prettier-ignore

test('no token, text or number of a phone stands there: of its registration, of what it pulls and reports, and of what it receives', async () => {
  const env = { ONESIXTY_LOG_LEVEL: 'debug' }
  const simCards = [{ slotIndex: 0, phoneNumber: marks.simNumber, carrierName: 'Telco', iccid: marks.iccid }]
  const house = await openPhoneHouse({ ownProcess: true, env, simCards })
  const { server, baseUrl, accountId, liveKey, privateToken } = house
  const { dataFolder } = server
  const { live_key: otherKey } = await cliJson<{ live_key: string }>(['account', 'create', '--name', 'Bob', '--email', 'bob@example.org'], dataFolder)
  const phone = house.phones.phone(0)
  const view = await eventually(phone.view, ({ registration, webhooks }) => expect(registration === null ? 0 : webhooks.length).toBeGreaterThan(0), 20_000)

  await house.send([marks.number], { text: marks.text })
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 1 }), 20_000)
  await phone.set({ outcome: 'failed' })
  await house.send([marks.number], { text: marks.text })
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 1, unconfirmed: 1 }), 20_000)
  await phone.receiveSms({ from: marks.inboundNumber, text: marks.inboundText })
  await eventually(house.counts, (counts) => expect(counts).toMatchObject({ received: 1 }), 20_000)
  await phone.receiveSms({ from: marks.inboundNumber, text: `STOP ${marks.inboundText}` })
  await phone.receiveSms({ from: marks.inboundNumber, text: 'STOP' })
  await eventually(house.counts, (counts) => expect(counts).toMatchObject({ received: 3 }), 20_000)

  const refusals = keepRefusals()
  // The same of phones that have no right to it, and of documents that are none.
  const ask = async (method: string, path: string, token: string, body?: unknown): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const asked = answerAt(baseUrl + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return (await refusals.of(asked)).status
  }
  const reported = [{ id: marks.reason, state: 'Failed', recipients: [{ phoneNumber: marks.number, state: 'Failed', error: marks.reason }], states: {} }]
  expect(await ask('POST', '/device', marks.privateToken, { name: 'samsung/a12', simCards })).toBe(401)
  for (const [method, path] of [['GET', '/device'], ['GET', '/message'], ['GET', '/settings'], ['GET', '/webhooks'], ['GET', '/events']] as const)
    expect(await ask(method, path, marks.deviceToken), path).toBe(401)
  expect(await ask('PATCH', '/message', marks.deviceToken, reported)).toBe(401)
  const hook = { id: 'x', event: 'sms:received', payload: { message: marks.inboundText, sender: marks.inboundNumber } }
  await ask('POST', `/hooks/${marks.hookSecret}`, marks.deviceToken, hook)
  const { token: deviceToken = '' } = view.registration ?? {}
  await ask('PATCH', '/message', deviceToken, reported)
  await ask('PATCH', '/message', deviceToken, { [marks.query]: marks.text })
  const hookSecret = view.webhooks[0]?.url.split('/').at(-1) ?? ''
  await ask('POST', `/hooks/${hookSecret}`, deviceToken, hook)

  const told = await toldBesides(server.url, otherKey)
  const own = await toldBesides(server.url, liveKey)
  for (const mark of [marks.text, marks.number, marks.inboundText, marks.inboundNumber]) expect(own, mark).toContain(mark)
  const metrics = await textAt(`${server.url}/metrics`)
  await house.phones.stop()
  await server.process.stop()

  const log = server.process.output()
  for (const said of ['/mobile/v1/device', '/mobile/v1/message', '/mobile/v1/hooks/:secret', '/mobile/v1/events', accountId]) expect(log, said).toContain(said)
  const minted = { liveKey: secretOf(liveKey), ownPrivateToken: privateToken, ownDeviceToken: deviceToken, ownHookSecret: hookSecret, signingKey: view.settings.signingKey }
  expectNowhere({ ...marks, ...minted }, { log, metrics, told })
  expectNowhere({ ...unnamed, ...minted }, { refusals: refusals.text() })
}, 120_000) // prettier-ignore

test('no token, key or note of a program of the operator stands there', async () => {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  const server = await startServerProcess({ dataFolder, env: { ONESIXTY_LOG_LEVEL: 'debug' } })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const tokenOf = async (scope: string): Promise<string> =>
    (await cliJson<{ token: string }>(['operator', 'token', 'create', '--name', 'Billing', '--scope', scope], dataFolder)).token
  const [writing, reading] = [await tokenOf('write'), await tokenOf('read')]
  const refusals = keepRefusals()
  const ask = (path: string, token: string, body?: object): ReturnType<typeof answerAt> =>
    refusals.of(
      answerAt(`${server.url}/operator/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': marks.idempotencyKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  const opened = await ask('/accounts', writing, { name: 'Ada', email: 'ada@example.org' })
  expect(opened.status).toBe(201)
  const { account, live_key: liveKey, test_key: testKey, setup_link: link } = JSON.parse(opened.body) as { account: { id: string }; live_key: string; test_key: string; setup_link: string }
  await ask('/accounts', writing, { name: 'Ada', email: 'ada@example.org' })
  const { live_key: otherKey } = await cliJson<{ live_key: string }>(['account', 'create', '--name', 'Bob', '--email', 'bob@example.org'], dataFolder)
  const at = `/accounts/${account.id}`
  expect((await ask(`${at}/grants`, writing, { sms: 5, note: marks.note })).status).toBe(201)
  expect((await ask(`${at}/grants`, writing, { sms: 6, note: marks.note })).status).toBe(422)
  expect((await ask(`${at}/grants`, writing, { sms: -5_000, kind: 'correction', note: marks.note, [marks.query]: marks.note })).status).toBe(422)
  expect((await ask(`${at}/grants`, reading, { sms: 5, note: marks.note })).status).toBe(403)
  for (const path of [at, `${at}/ledger`, `${at}/usage`, '/accounts']) expect((await ask(path, reading)).status, path).toBe(200)
  expect((await ask(`${at}/ledger`, reading)).body).toContain(marks.note)
  for (const wrong of [marks.operatorToken, liveKey, `${writing}x`]) expect((await ask(at, wrong)).status).toBe(401)
  expect((await ask(`/accounts/${marks.number}?${marks.query}=${writing}`, writing)).status).toBe(404)
  expect((await ask(`/accounts?${marks.query}=${marks.note}`, writing)).status).toBe(400)
  for (const key of [writing, liveKey, testKey]) await textAt(`${server.url}/api/v1/balance`, { authorization: `Bearer ${key}` })
  const told = await toldBesides(server.url, otherKey)
  const metrics = await textAt(`${server.url}/metrics`)
  await server.stop()
  const log = server.output()
  for (const said of ['/operator/v1/accounts', '/operator/v1/accounts/:account/grants', '/operator/v1/accounts/:account/ledger']) expect(log, said).toContain(said)
  expect(log).toMatch(/"operator_token":"otk_/)
  expect(log).not.toContain('[redacted]')
  const minted = { writing: secretOf(writing), reading: secretOf(reading), liveKey: secretOf(liveKey), testKey: secretOf(testKey), setupToken: link.split('#')[1] ?? '' }
  expectNowhere({ ...marks, ...minted }, { log, metrics, told })
  expectNowhere({ ...unnamed, ...minted }, { refusals: refusals.text() })
}, 60_000) // prettier-ignore
