import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HistoryPageAnswer } from '../../src/api/console/history-calls.ts'
import type { HistoryNames } from '../../src/api/console/history-names.ts'
import type { MessagePage } from '../../src/api/console/message-page.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
let testKey: string
beforeAll(async () => {
  house = await startConsole()
  const made = await house.ada.change(
    'keys/create',
    { name: 'Shop', scopes: ['messages:send'], addresses: [], dailyCap: null, expiresAt: null },
    { mode: 'test' },
  )
  testKey = (made.body as { token: string }).token
})
afterAll(() => house.stop())

const inTest = { mode: 'test' } as const

/** Sends with the test key; gives the id of the message. */
async function send(body: object = {}): Promise<string> {
  const answer = await fetch(`${house.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+15005550006', text: 'Hello', ...body }),
  })
  const sent = (await answer.json()) as { messages: [{ id: string }] }
  return sent.messages[0].id
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
    const shop = senders.find(({ name }) => name.startsWith('Shop'))?.id
    expect(devices.map(({ name }) => name)).toContain('Shared device')
    for (const filter of [
      { text: 'code is' },
      { reference: 'order-7' },
      { number: '+4915112345678' },
      { number: '+4915112345678', sentBy: shop, direction: 'outbound' },
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
