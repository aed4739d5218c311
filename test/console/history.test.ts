import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HistoryPageAnswer } from '../../src/api/console/messages/history-calls.ts'
import type { HistoryNames } from '../../src/api/console/messages/history-names.ts'
import type { MessagePage } from '../../src/api/console/messages/message-page.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { addDevice } from '../../src/devices/core/device-store.ts'
import { loadConnectorKind } from '../../src/connectors/registry.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import { eventually } from '../eventually.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const inTest = { mode: 'test' } as const

/** Sends with the test key; gives the id of the message. */
async function send(body: object = {}): Promise<string> {
  const message = { to: '+15005550006', text: 'Hello', ...body }
  const { body: sent } = await house.client.send(house.ada.testKey, message)
  return sent.messages[0]?.id as string
}

async function page(filter: object = {}, more: object = {}): Promise<HistoryPageAnswer> {
  const { body, status } = await house.ada.read('history/page', { filter, ...more }, inTest)
  expect(status).toBe(200)
  return body as HistoryPageAnswer
}

const idsOf = ({ rows }: HistoryPageAnswer): string[] => rows.map(({ id }) => id)

async function messagePage(id: string): Promise<MessagePage> {
  return (await house.ada.read('history/message', { id }, inTest)).body as MessagePage
}

describe('a page', () => {
  test('shows messages newest first, page by page, with a cursor that is nobody else’s', async () => {
    const sent = [await send(), await send(), await send()]
    const first = await page({}, { limit: 2 })
    expect(idsOf(first)).toEqual([sent[2], sent[1]])
    const second = await page({}, { limit: 2, cursor: first.next })
    expect(idsOf(second)[0]).toBe(sent[0])

    const stolen = await house.bob.read('history/page', { filter: {}, cursor: first.next }, inTest)
    expect(stolen).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  test('keeps to its filter: text in any case, reference, number, who sent, state', async () => {
    const id = await send({ text: 'Your CODE is 4711', client_reference: 'order-7', to: '+4915112345678' })
    const { devices, senders } = (await house.ada.read('history/names', {}, inTest)).body as HistoryNames
    const key = senders.find(({ name }) => name.startsWith('First test key'))?.id
    expect(devices.map(({ name }) => name)).toContain('Shared device')
    for (const filter of [
      { text: 'code is' },
      { reference: 'order-7' },
      { number: '+4915112345678' },
      { number: '+4915112345678', sentBy: key, direction: 'outbound' },
    ])
      expect(idsOf(await page(filter))).toEqual([id])
    expect(idsOf(await page({ reference: 'order-8' }))).toEqual([])
    expect(idsOf(await page({ number: '+4915112345678', direction: 'inbound' }))).toEqual([])
    expect(idsOf(await page({ number: '+4915112345678', status: ['expired'] }))).toEqual([])
  })

  test('refuses a filter that is none', async () => {
    const { status, body } = await house.ada.read('history/page', { filter: { status: ['sendt'] } }, inTest)
    expect({ status, code: (body as { code: string }).code }).toEqual({
      status: 422,
      code: 'validation_failed',
    })
  })

  test('has nothing of the other mode', async () => {
    const { body } = await house.ada.read('history/page', { filter: {} })
    expect(idsOf(body as HistoryPageAnswer)).toEqual([])
  })
})

test('rows are given as they stand now, and nobody else’s', async () => {
  const ids = [await send(), await send()]
  const mine = await house.ada.read('history/rows', { ids }, inTest)
  expect(idsOf(mine.body as HistoryPageAnswer).toSorted()).toEqual(ids)
  const others = await house.bob.read('history/rows', { ids }, inTest)
  expect(others.body).toEqual({ rows: [] })
})

describe('a message', () => {
  test('tells its story, what its parts say, and how to send the same from a shell', async () => {
    const id = await send({ text: `It's ${'x'.repeat(200)}` })
    await expect
      .poll(async () => (await messagePage(id)).message.status, { timeout: 10_000 })
      .toBe('delivered')
    const shown = await messagePage(id)
    expect(shown.timeline.map(({ status }) => status)).toEqual(['queued', 'sending', 'sent', 'delivered'])
    expect(shown.partTexts.join('')).toBe(`It's ${'x'.repeat(200)}`)
    expect(shown.partTexts).toHaveLength(2)
    expect(shown.attempts).toHaveLength(1)
    expect(shown.sentBy).toMatch(/^key_/)
    expect(shown.canCancel).toBe(false)
    expect(shown.curl).toContain(`/api/v1/send`)
    expect(shown.curl).toContain(`"text":"It'\\''s x`)
  })

  test('of another account is not there', async () => {
    const id = await send()
    for (const name of ['history/message'])
      expect((await house.bob.read(name, { id }, inTest)).status).toBe(404)
    expect((await house.bob.change('history/cancel', { id }, inTest)).status).toBe(404)
    const key = crypto.randomUUID()
    expect((await house.bob.change('history/send-again', { id, key }, inTest)).status).toBe(404)
  })
})

/** A live device of Ada's own that is off: what she sends waits. Gives the id of a message that does. */
async function sendToSilentDevice(): Promise<string> {
  const { app, ada, dataFolder } = house
  const rules = await loadConnectorKind('simulator')
  if (rules === null) throw new Error('There is no simulator.')
  const secretBox = createDeviceSecretBox(
    await loadInstanceSecret({ dataFolder: dataFolder, secret: null, databaseUrl: null }),
  )
  await app.storage.writer.write((tx) =>
    addDevice(
      tx,
      { ids: createIds({ now: Date.now }), nowMs: Date.now(), secretBox, rules },
      {
        accountId: ada.accountId,
        mode: 'live',
        kind: 'simulator',
        name: 'Off',
        settings: { offline: 'true' },
        actor: 'test',
      },
    ),
  )
  const { body: sent } = await eventually(
    () => house.client.send(ada.liveKey, { to: '+4915112345678', text: 'Wait' }),
    ({ status }) => expect(status).toBe(202),
    5_000,
  )
  return sent.messages[0]?.id as string
}

describe('a message that waits', () => {
  test('is canceled once, its SMS are free again, and the log says who did it', async () => {
    const { ada } = house
    const id = await sendToSilentDevice()
    const shown = async () => (await ada.read('history/message', { id })).body as MessagePage
    expect((await shown()).canCancel).toBe(true)

    const canceled = await ada.change('history/cancel', { id })
    expect(canceled).toMatchObject({ status: 200, body: { result: 'canceled', status: 'canceled' } })
    expect((await ada.change('history/cancel', { id })).body).toMatchObject({ result: 'too_late' })
    expect(await shown()).toMatchObject({
      canCancel: false,
      message: { status: 'canceled', error: { code: 'canceled_by_user' }, cost: { state: 'released' } },
    })
    const log = await house.app.storage.read
      .selectFrom('audit_log')
      .select(['actor', 'account_id'])
      .where('action', '=', 'messages.canceled')
      .execute()
    expect(log[0]).toEqual({ actor: ada.userId, account_id: ada.accountId })
  })
})

describe('a message that is scheduled', () => {
  const dayMs = 86_400_000
  const sendLater = () => send({ send_at: new Date(Date.now() + dayMs).toISOString() })

  test('is given another time, listed under its state, and the log says who did it', async () => {
    const { ada } = house
    const id = await sendLater()
    expect(await messagePage(id)).toMatchObject({ canMove: true, canCancel: true })
    const sendAtMs = Date.now() + 2 * dayMs
    expect(await ada.change('history/move', { id, sendAtMs }, inTest)).toMatchObject({
      status: 200,
      body: { result: 'moved', status: 'scheduled', sendAtMs },
    })
    const { rows } = await page({ status: ['scheduled'] })
    expect(rows.find((row) => row.id === id)).toMatchObject({ sendAtMs })
    const log = await house.app.storage.read
      .selectFrom('audit_log')
      .select(['actor', 'account_id', 'detail'])
      .where('action', '=', 'messages.moved')
      .execute()
    expect(log).toMatchObject([{ actor: ada.userId, account_id: ada.accountId }])
    expect(log[0]?.detail).toContain(new Date(sendAtMs).toISOString())
    expect((await ada.change('history/cancel', { id }, inTest)).body).toMatchObject({ result: 'canceled' })
    expect((await ada.change('history/move', { id, sendAtMs }, inTest)).body).toMatchObject({
      result: 'too_late',
      status: 'canceled',
    })
  })

  test('is of nobody else, and not moved beyond 30 days', async () => {
    const id = await sendLater()
    const sendAtMs = Date.now() + dayMs
    expect((await house.bob.change('history/move', { id, sendAtMs }, inTest)).status).toBe(404)
    const far = await house.ada.change('history/move', { id, sendAtMs: Date.now() + 31 * dayMs }, inTest)
    expect(far).toMatchObject({ status: 422, body: { errors: [{ pointer: '/sendAtMs' }] } })
  })
})

describe('sending again', () => {
  test('sends the same text to the same number once for each key of the page, as the person who asked', async () => {
    const id = await send({ text: 'Once more', client_reference: 'again-1', metadata: { shop: 'a' } })
    const key = crypto.randomUUID()
    const answers = [
      await house.ada.change('history/send-again', { id, key }, inTest),
      await house.ada.change('history/send-again', { id, key }, inTest),
    ]
    const [first, second] = answers.map(({ body }) => (body as { messageId: string }).messageId)
    expect(first).toMatch(/^msg_/)
    expect([first, second]).not.toContain(id)
    expect(second).toBe(first)
    const shown = await messagePage(first as string)
    expect(shown.message).toMatchObject({
      text: 'Once more',
      to: '+15005550006',
      client_reference: 'again-1',
      metadata: { shop: 'a' },
    })
    expect(shown.sentBy).toBe(house.ada.userId)
    expect((await page({ reference: 'again-1' })).rows).toHaveLength(2)
  })

  test('is refused when the text was erased, and in the words of a send', async () => {
    const id = await send()
    const again = () => house.ada.change('history/send-again', { id, key: crypto.randomUUID() }, inTest)
    const { writer } = house.app.storage
    const ofAda = { account_id: house.ada.accountId, mode: 'test' } as const
    await writer.write((tx) =>
      updateRows(tx, 'accounts', ['id'], [{ id: ofAda.account_id, state: 'suspended' }]),
    )
    expect(await again()).toMatchObject({ status: 403, body: { code: 'account_suspended' } })
    await writer.write((tx) =>
      updateRows(tx, 'accounts', ['id'], [{ id: ofAda.account_id, state: 'active' }]),
    )
    await writer.write((tx) =>
      updateRows(
        tx,
        'messages',
        ['account_id', 'mode', 'id'],
        [{ ...ofAda, id, text: null, text_redacted: 1 }],
      ),
    )
    expect(await again()).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  })
})

describe('an export', () => {
  test.each(['csv', 'json'] as const)(
    'streams every message of the filter as %s and says how many',
    async (format) => {
      const text = `=HYPERLINK("x") ${format}`
      await send({ text, client_reference: `export-${format}` })
      await send({ text, client_reference: `export-${format}` })
      const filter = { reference: `export-${format}` }
      const { status, body, headers } = await house.ada.read('history/export', { filter, format }, inTest)
      expect(status).toBe(200)
      expect(headers.get('x-total-rows')).toBe('2')
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="messages-test-\d{4}-\d\d-\d\d\.\w+"$/,
      )
      if (format === 'json')
        expect((JSON.parse(body as string) as { text: string }[]).map((row) => row.text)).toEqual([
          text,
          text,
        ])
      else expect(body).toContain(`"'=HYPERLINK(""x"") csv"`)
    },
  )

  test('tells the ids of the network of every attempt, those of the first in front', async () => {
    const id = await send({ text: 'ids', client_reference: 'export-ids' })
    const attempt = (number: number, ids: readonly string[] | null) => ({
      account_id: house.ada.accountId, mode: 'test' as const, message_id: id, number, id: `att_export_${number}`, device_id: 'dev_s', fence: 1, lease_token: null,
      state: 'refused' as const, network_ids: ids === null ? null : JSON.stringify(ids), receipt_expected: null, outcome: null, network_code: null, started_at: 1, ended_at: 2,
    }) // prettier-ignore
    await house.app.storage.writer.write((tx) =>
      insertRows(tx, 'attempts', [attempt(8, ['n3']), attempt(7, ['n1', 'n2']), attempt(6, null)]),
    )
    const filter = { reference: 'export-ids' }
    const csv = await house.ada.read('history/export', { filter, format: 'csv' }, inTest)
    const [names, values] = (csv.body as string).trim().split(/\r?\n/)
    expect(names).toMatch(/,send_id,received_at,network_ids$/)
    expect(values).toMatch(/,sim_\S+ n1 n2 n3$/)
    const json = await house.ada.read('history/export', { filter, format: 'json' }, inTest)
    const [{ network_ids: told } = { network_ids: [] }] = JSON.parse(json.body as string) as {
      network_ids: string[]
    }[]
    expect(told.slice(1)).toEqual(['n1', 'n2', 'n3'])
  })
})
