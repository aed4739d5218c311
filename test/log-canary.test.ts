import { expect, onTestFinished, test } from 'vitest'
import { newVisitor } from './console/visitor.ts'
import { createApiClient } from './api-client.ts'
import { eventually } from './eventually.ts'
import { cli, cliJson, startServerProcess, temporaryFolder } from './harness.ts'
import { removeTestFolder } from './test-database.ts'
import { openReceiver } from './webhooks/receiver.ts'

/** Words that stand nowhere else, one for each thing that nobody may find in a log, in a metric or in an answer to somebody else. */
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
}

test('no text, number, key, password or secret of any flow stands in the log or in the metrics, at level debug', async () => {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const env = { ONESIXTY_LOG_LEVEL: 'debug', ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1', ONESIXTY_SIGNUP: 'open' }
  const server = await startServerProcess({ dataFolder, env })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const client = createApiClient(server.url)
  onTestFinished(() => client.close())

  const visitor = newVisitor(server.url)
  const opened = await visitor.change('sign-up/open', { name: 'Ada', email: 'ada@example.org', password: marks.password })
  const { accountId, testKey } = opened.body as { accountId: string; testKey: string }
  await newVisitor(server.url).change('session/sign-in', { email: 'ada@example.org', password: marks.wrongPassword })
  await newVisitor(server.url).change('session/sign-in', { email: marks.wrongPassword, password: marks.wrongPassword })
  const { link } = await cliJson<{ link: string }>(['user', 'reset-link', '--email', 'ada@example.org'], dataFolder)
  const token = /[\w-]{30,}$/.exec(link)?.[0] ?? ''
  await newVisitor(server.url).change('link/look', { token })

  const url = `${receiver.url}/${marks.path}`
  const { secret } = await cliJson<{ secret: string }>(['webhook', 'add', '--account', accountId, '--url', url], dataFolder)
  let refusals = 2
  receiver.handle = (_, response) => {
    response.statusCode = refusals-- > 0 ? 500 : 200
    response.end(marks.text)
  }
  await cli(
    ['device', 'add', 'smpp', '--account', accountId, '--name', 'Nowhere', '--host', '127.0.0.1', '--port', '1', '--system-id', 'esme', '--password-stdin'],
    { dataFolder, stdin: `${marks.linkPassword}\n` },
  )

  const send = (body: object, headers: Record<string, string> = {}) => client.send(testKey, body, headers)
  const sent = await send(
    { to: '+15005550006', text: marks.text, client_reference: marks.reference },
    { 'idempotency-key': marks.idempotencyKey },
  )
  expect(sent.status).toBe(202)
  await send({ to: '+15005550011', text: marks.text })
  await send({ to: '+15005550005', text: marks.text })
  await send({ to: marks.number, text: marks.text, [marks.query]: 1 })
  await send({ to: [marks.number, marks.number], text: `${marks.text}\u0000` })
  await fetch(`${server.url}/api/v1/history?to=${marks.query}&client_reference=${marks.reference}`, { headers: { authorization: `Bearer ${testKey}` } })
  await fetch(`${server.url}/api/v1/nowhere/${marks.number}?${marks.query}=${testKey}`)
  await fetch(`${server.url}/api/v1/balance`, { headers: { authorization: `Bearer ${marks.wrongKey}` } })
  await eventually(() => receiver.received.length, (count) => expect(count).toBeGreaterThan(3), 20_000)
  await visitor.read('history/list', { account: accountId, mode: 'test' })
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('onesixty_')
  await server.stop()

  const log = server.output()
  // Something was said of each flow.
  for (const said of ['/api/v1/send', '/api/v1/history', accountId]) expect(log, said).toContain(said)
  for (const [name, mark] of Object.entries({ ...marks, testKey: testKey.slice(14), token, secret: secret.slice(6) }))
    for (const form of [mark, mark.replace('+', ''), encodeURIComponent(mark), Buffer.from(mark).toString('base64').replace(/=+$/, '')])
      expect([log.includes(form), metrics.includes(form)], `${name} as ${form}`).toEqual([false, false])
}, 60_000) // prettier-ignore
