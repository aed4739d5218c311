import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordUnread } from '../../src/devices/status/unread-forms.ts'
import { keepUnmatched } from '../../src/messages/outcomes/unmatched-receipts.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { openNearFolder } from '../open-near.ts'
import { type Cli, openCli } from './run-cli.ts'

/** What an operator asks a carrier about: the ids of the network, of messages and of receipts that match none. */

const atMs = Date.parse('2026-11-26T04:05:00.000Z')
let cli: Cli
let account: string
let device: string
beforeAll(async () => {
  cli = await openCli()
  account = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org')).account_id
  device = (await cli.json<{ id: string }>('device add simulator --shared --name S')).id
  const storage = await openNearFolder(cli.dataFolder, Date.now())
  const word = { deviceId: device, code: null, networkCode: null, result: 'delivered' as const }
  const message = { account_id: account, id: 'msg_1', recipient: '+4915112345678', text: 'Secret', created_at: atMs }
  await storage.writer.write(async (tx) => {
    await keepUnmatched(tx, [
      { ...word, networkId: '7f', alternatives: ['127'], numbers: ['4915112345678', 'Shop'], atMs },
      { ...word, networkId: '?7/4915112345678', hasNoId: true, reference: 7, numbers: ['4915112345678'], result: 'undelivered', networkCode: '011', atMs: atMs + 1_000 },
      { ...word, deviceId: 'dev_other', networkId: '80', atMs },
    ])
    await recordUnread(tx, [
      { deviceId: device, kind: 'word', form: 'a', times: 3, firstAt: atMs, lastAt: atMs + 1_000 },
      { deviceId: device, kind: 'receipt', form: 'esm_class 4, 0,0,a', times: 1, firstAt: atMs, lastAt: atMs },
    ])
    await insertRows(tx, 'messages', [storedMessage({ ...message, ...deliveredAt(atMs) })])
    await insertRows(tx, 'attempts', [
      {
        account_id: account, mode: 'live', message_id: 'msg_1', number: 1, id: 'att_1', device_id: device, fence: 1, lease_token: null,
        state: 'accepted', parts_sent: 2, network_ids: '["n1","n2"]', receipt_expected: 1, outcome: 'accepted', network_code: null,
        started_at: atMs, ended_at: atMs + 1_000,
      },
    ])
  })
  await storage.close()
}) // prettier-ignore
afterAll(() => cli.close())

test('receipts of a device that match no message are listed, newest first, each once, with their numbers masked', async () => {
  expect(await cli.json(`device receipts ${device}`)).toEqual({
    device_id: device,
    more: false,
    receipts: [
      {
        received_at: '2026-11-26T04:05:01.000Z',
        network_id: null,
        other_readings: [],
        reference: 7,
        result: 'undelivered',
        network_code: '011',
        numbers: ['+49***78'],
      },
      {
        received_at: '2026-11-26T04:05:00.000Z',
        network_id: '7f',
        other_readings: ['127'],
        reference: null,
        result: 'delivered',
        network_code: null,
        numbers: ['+49***78', '***'],
      },
    ],
  })
  const { stdout } = await cli.run(`device receipts ${device} --limit 1`)
  expect(stdout).toContain('no ID, reference 7')
  expect(stdout).toContain('More receipts: raise --limit')
  expect(stdout).not.toContain('15112345678')
})

test('what a device sent that could not be read is listed, the latest first, each form of it once', async () => {
  const times = { first_at: '2026-11-26T04:05:00.000Z', last_at: '2026-11-26T04:05:00.000Z' }
  expect(await cli.json(`device unread ${device}`)).toEqual({
    device_id: device,
    unread: [
      { ...times, kind: 'word', form: 'a', times: 3, last_at: '2026-11-26T04:05:01.000Z' },
      { ...times, kind: 'receipt', form: 'esm_class 4, 0,0,a', times: 1 },
    ],
  })
  expect((await cli.run(`device unread ${device}`)).stdout).toContain('1×  receipt  esm_class 4, 0,0,a')
  const other = (await cli.json<{ id: string }>('device add simulator --shared --name T')).id
  expect((await cli.run(`device unread ${other}`)).stdout).toContain('No unparsed input.')
  expect((await cli.run('device unread dev_nobody')).stderr).toContain('Device dev_nobody not found.')
})

test('a device that is not there, and a limit out of bounds, are refused', async () => {
  expect((await cli.run('device receipts dev_nobody')).stderr).toContain('Device dev_nobody not found.')
  expect((await cli.run(`device receipts ${device} --limit 1001`)).code).toBe(2)
})

test('a message is shown with the ids of the network of each attempt, and without its text', async () => {
  const { stdout } = await cli.run(`message show msg_1 --account ${account}`)
  expect(stdout).toContain('network IDs n1 n2')
  expect(await cli.json(`message show msg_1 --account ${account}`)).toMatchObject({
    id: 'msg_1',
    status: 'delivered',
    attempts: [
      { number: 1, device_id: device, network_ids: ['n1', 'n2'], started_at: '2026-11-26T04:05:00.000Z' },
    ],
    receipts_awaited: 0,
  })
  expect(JSON.stringify(await cli.json(`message show msg_1 --account ${account}`))).not.toContain('Secret')
  expect((await cli.run(`message show msg_2 --account ${account}`)).stderr).toContain(
    'has no live message msg_2',
  )
})
