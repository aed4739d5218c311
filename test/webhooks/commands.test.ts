import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { eventually } from '../eventually.ts'
import { startApp, type TestApp } from '../harness.ts'
import { databaseSettings } from '../test-database.ts'
import { openReceiver, type Receiver, verified } from './receiver.ts'

const allowed = { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' }
let app: TestApp
let receiver: Receiver
let accountId: string
let testKey: string
beforeAll(async () => {
  receiver = await openReceiver()
  app = await startApp(allowed)
  ;({ accountId, testKey } = await app.openAccount('Ada'))
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

/** Runs `onesixty webhook …` beside the running server. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape of what the command prints is the caller's to say
async function webhook<T>(verb: string, ...rest: string[]): Promise<{ code: number; document: T }> {
  let said = ''
  const io = {
    stdout: { write: (text: string) => void (said += text) },
    stderr: { write: (text: string) => void (said += text) },
    stdin: (async function* none() {})(),
    env: { ...databaseSettings(app.dataFolder), ...allowed },
  }
  const code = await runCommandLine(['webhook', verb, '--account', accountId, ...rest, '--json'], io)
  return { code, document: JSON.parse(said) as T }
}

const add = async () =>
  (await webhook<{ id: string; secret: string }>('add', '--url', receiver.url, '--event', 'message.queued'))
    .document

test('a test says what the endpoint answered, and ends with 1 when that was no success', async () => {
  const { id, secret } = await add()
  receiver.received.length = 0
  const fine = await webhook<{ event_id: string }>('test', '--endpoint', id)
  expect(fine).toMatchObject({ code: 0, document: { delivered: true, status: 200, failure: null } })
  expect(verified(secret, receiver.received[0]!)).toMatchObject({
    id: fine.document.event_id,
    type: 'webhook.test',
  })
  receiver.handle = (_, response) => void response.writeHead(404).end()
  expect(await webhook('test', '--endpoint', id)).toMatchObject({
    code: 1,
    document: { delivered: false, status: 404 },
  })
  await webhook('disable', '--endpoint', id)
  expect(await webhook('test', '--endpoint', id)).toMatchObject({
    code: 1,
    document: { error: { code: 'validation_failed' } },
  })
})

test('what was told is told again: one event by its id, or all of a range', async () => {
  receiver.handle = (_, response) => void response.end()
  const { id } = await add()
  receiver.received.length = 0
  const from = new Date().toISOString()
  for (let i = 0; i < 2; i++) await app.client.send(testKey, { to: '+15005550006', text: `Hello ${i}` })
  await eventually(() => receiver.received.length, (count) => expect(count).toBe(2))
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'] as string)
  const isIdle = async () =>
    (await app.app.storage.read.selectFrom('webhook_deliveries').select('event_id').where('endpoint_id', '=', id).where('closed_at', 'is', null).execute()).length
  await eventually(isIdle, (open) => expect(open).toBe(0))
  expect(await webhook('replay', '--endpoint', id, '--event', ids[0]!)).toEqual({ code: 0, document: { replayed: 1, rest_from: null } })
  await eventually(() => receiver.received.length, (count) => expect(count).toBe(3))
  expect(receiver.received[2]!.headers['webhook-id']).toBe(ids[0])
  await eventually(isIdle, (open) => expect(open).toBe(0))
  expect(await webhook('replay', '--endpoint', id, '--from', from, '--only-failed')).toEqual({ code: 0, document: { replayed: 0, rest_from: null } })
  expect(await webhook('replay', '--endpoint', id, '--from', from)).toEqual({ code: 0, document: { replayed: 2, rest_from: null } })
  await eventually(() => receiver.received.length, (count) => expect(count).toBe(5))
  for (const wrong of [[], ['--event', ids[0]!, '--from', from], ['--from', 'yesterday']])
    expect(await webhook('replay', '--endpoint', id, ...wrong)).toMatchObject({ code: 2, document: { error: { code: 'usage' } } })
}) // prettier-ignore
