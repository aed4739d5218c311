import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { cliJson } from '../run-command.ts'
import { type MessagePeer, startMessagePeer } from '../peers/message-peer.ts'
import { isLong, sizeOf } from '../proof-sizes.ts'
import { removeTestFolder } from '../test-database.ts'

const backlog = sizeOf('BACKLOG')
const window = 20
const sends = sizeOf('WAITING_SENDS')
const sendEachMs = isLong() ? 1_000 : 250
/** Of a hundred. */
const maxLate = 1

let dataFolder: string
let peer: MessagePeer
let server: ServerProcess
let client: ApiClient

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  peer = await startMessagePeer(join(dataFolder, 'peer.ndjson'))
  server = await startServerProcess({ dataFolder, env: { ONESIXTY_LOG_LEVEL: 'warn' } })
  client = createApiClient(server.url)
  const settings = [`window=${window}`, 'submit_delay_ms=50', 'delay_ms=100', `peer_url=${peer.url}`]
  const pairs = settings.flatMap((pair) => ['--set', pair])
  await cliJson(['device', 'add', 'simulator', '--shared', '--name', 'Peer', ...pairs], dataFolder)
})
afterAll(async () => {
  client.close()
  await server.kill('SIGKILL')
  await peer.stop()
  await removeTestFolder(dataFolder)
})

async function openAccount(name: string): Promise<string> {
  const email = `${name.toLowerCase()}@example.org`
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', name, '--email', email],
    dataFolder,
  )
  const of = ['--account', made.account_id]
  await cliJson(['account', 'grant', ...of, '--sms', '1000000', '--note', 'For the proof'], dataFolder)
  await cliJson(
    ['account', 'limit', ...of, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0'],
    dataFolder,
  )
  return made.live_key
}

test('whoever sends one message waits behind no backlog of another account on the same device, however long it is', async () => {
  const many = await openAccount('Many')
  const few = await openAccount('Few')
  const statusOf = async (key: string) =>
    (await client.send(key, { to: '+4915112345678', text: 'dry', dry_run: true })).status
  for (const key of [many, few])
    await eventually(
      () => statusOf(key),
      (seen) => expect(seen).toBe(200),
      20_000,
    )
  for (let first = 0; first < backlog; first += 100) {
    const to = Array.from({ length: 100 }, (_, i) => `+49151${20_000_000 + first + i}`)
    expect((await client.send(many, { to, text: 'many' })).status).toBe(202)
  }
  const waiting: { text: string; acceptedAt: number }[] = []
  const startedMs = performance.now()
  for (let n = 0; n < sends; n++) {
    await wait(Math.max(0, startedMs + n * sendEachMs - performance.now()))
    const text = `few ${n}`
    const { status, body } = await client.send(few, { to: '+4915112345678', text })
    expect(status).toBe(202)
    waiting.push({ text, acceptedAt: Date.parse(body.messages[0]?.created_at ?? '') })
    const isThere = () => peer.records().some((record) => record.text === text)
    await eventually(isThere, (there) => expect(there).toBe(true), 60_000)
  }
  // By the clock that server and peer have in common, so that a slow client counts for nothing.
  const records = peer.records()
  const seen = waiting.map(({ text, acceptedAt }) => {
    const place = records.findIndex((record) => record.text === text)
    const overtaken = records.slice(0, place).filter(({ received_at }) => received_at > acceptedAt).length
    return { overtaken, afterMs: (records[place]?.received_at ?? 0) - acceptedAt }
  })
  // What was being handed over, what was claimed ahead of it, and its turn: not a part of what waits.
  expect(Math.max(...seen.map(({ overtaken }) => overtaken))).toBeLessThanOrEqual(10 * window)
  const late = seen.filter(({ afterMs }) => afterMs > 2_000)
  expect(late.length, 'handed over later than 2 s after it was accepted').toBeLessThanOrEqual(
    Math.floor((maxLate * sends) / 100),
  )
  expect((await client.balance(many)).reserved, 'the backlog was there to the end').toBeGreaterThan(
    backlog / 10,
  )
}, 600_000)
