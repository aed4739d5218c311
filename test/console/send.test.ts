import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
let ada: ConsolePerson
beforeAll(async () => {
  house = await startConsole()
  ada = house.ada
})
afterAll(() => house.stop())

const inTest = { mode: 'test' } as const
const hello = { to: '+15005550006', text: 'Hello' }
interface Sent {
  id: string
  messages: { id: string }[]
  totals: { parts: number; balance_available: number }
}

test('a send of a person is one message and one charge, however often it is clicked', async () => {
  const input = { body: hello, key: 'one-click-0001' }
  const answers = await Promise.all([1, 2, 3].map(() => ada.change('send/one', input, inTest)))
  const accepted = answers.filter(({ status }) => status === 200)
  expect(accepted.length).toBeGreaterThan(0)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  const again = await ada.change('send/one', input, inTest)
  const ids = [...accepted, again].map(({ body }) => (body as Sent).messages[0]?.id)
  expect(new Set(ids).size).toBe(1)
})

test('a price is that of the send, and stores nothing', async () => {
  const kim = await house.newPerson('Kim')
  const before = await kim.read('history/page', { filter: {} }, inTest)
  const { body } = await kim.change('send/price', { body: { ...hello, text: '€'.repeat(153) } }, inTest)
  expect((body as { answer: Sent }).answer.totals.parts).toBe(3)
  expect(before.status).toBe(200)
  expect((await kim.read('history/page', { filter: {} }, inTest)).body).toEqual(before.body)
})

test('people and programs share the limit of an account; what a text would cost counts for nothing', async () => {
  const { accountId, testKey } = await house.openAccount('Limited')
  const operator = await house.newPerson('Olga')
  await house.app.storage.writer.write(async (tx) => {
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', operator.userId).execute()
    await tx.updateTable('accounts').set({ send_per_minute: 3 }).where('id', '=', accountId).execute()
  })
  const at = { accountId, mode: 'test' } as const
  const one = (key: string) => operator.change('send/one', { body: hello, key }, at)
  for (let n = 0; n < 5; n++)
    expect((await operator.change('send/price', { body: hello }, at)).body).toMatchObject({ refused: null })
  expect((await house.client.send(testKey, hello)).status).toBe(202)
  expect((await one('limited-0001')).status).toBe(200)
  const typed = { to: hello.to, text: 'Hello', from: null, key: 'limited-0002' }
  expect((await operator.change('devices/send-test', typed, at)).status).toBe(200)
  expect(await one('limited-0003')).toMatchObject({ status: 429, body: { violated_policies: ['send'] } })
  expect((await house.client.send(testKey, hello)).status).toBe(429)
  const table = { key: 'limited-0004', rows: [{ row: 0, to: hello.to, text: 'Hello' }], options: {} }
  expect(await operator.change('send/rows', table, at)).toMatchObject({ status: 429 })
})

test('a page of a table counts as one request, as a hundred numbers of a program do', async () => {
  const { accountId } = await house.openAccount('Tabled')
  const operator = await house.newPerson('Otto')
  await house.app.storage.writer.write(async (tx) => {
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', operator.userId).execute()
    await tx.updateTable('accounts').set({ send_per_minute: 2 }).where('id', '=', accountId).execute()
  })
  const rows = Array.from({ length: 30 }, (_, row) => ({ row, to: hello.to, text: `Row ${row}` }))
  const send = (key: string) =>
    operator.change('send/rows', { key, rows, options: {} }, { accountId, mode: 'test' })
  for (const key of ['tabled-0001', 'tabled-0002']) {
    const { body } = await send(key)
    const sent = (body as { rows: { refused: unknown }[] }).rows
    expect(sent.filter(({ refused }) => refused === null)).toHaveLength(30)
  }
  expect(await send('tabled-0003')).toMatchObject({ status: 429 })
})

test('what programs are refused people are refused, in the same words', async () => {
  const { status, body } = await ada.change(
    'send/one',
    { body: { ...hello, to: '12' }, key: 'refused-0001' },
    inTest,
  )
  expect(status).toBe(422)
  expect(body).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/to', code: 'invalid_format' }],
  })
})

test('rows are sent one by one: a wrong one stops no other, and what was sent before is not sent again', async () => {
  const rows = [
    { row: 1, to: '+15005550006', text: 'One' },
    { row: 2, to: 'nobody', text: 'Two' },
    { row: 3, to: '+15005550006', text: 'Three' },
  ]
  const input = { key: 'table-0001', rows, options: { category: 'marketing' } }
  interface Rows {
    rows: { row: number; messageId: string | null; refused: { code: string } | null }[]
  }
  const first = (await ada.change('send/rows', input, inTest)).body as Rows
  expect(first.rows.map(({ refused }) => refused?.code ?? null)).toEqual([null, 'validation_failed', null])
  const second = (await ada.change('send/rows', input, inTest)).body as Rows
  expect(second.rows.map(({ messageId }) => messageId)).toEqual(first.rows.map(({ messageId }) => messageId))
})

test('a hundred rows of long texts fit one call', async () => {
  const rows = Array.from({ length: 100 }, (_, row) => ({ row, to: 'x', text: '‰'.repeat(1500) }))
  const { status } = await ada.change('send/rows', { key: 'long-texts', rows, options: {} }, inTest)
  expect(status).toBe(200)
})

test('a suspended account prices and sends nothing', async () => {
  const eve = await house.newPerson('Eve')
  await house.app.storage.writer.write((tx) =>
    tx.updateTable('accounts').set({ state: 'suspended' }).where('id', '=', eve.accountId).execute(),
  )
  const { body } = await eve.change('send/one', { body: hello, key: 'suspended-1' }, inTest)
  expect(body).toMatchObject({ code: 'account_suspended' })
})

test('numbers are read as a send reads them', async () => {
  const { body } = await ada.change(
    'send/check-numbers',
    { numbers: ['+491701234567', '0170 1234567'] },
    inTest,
  )
  const { numbers } = body as { numbers: { country: string | null; fault: string | null }[] }
  expect(numbers[0]).toMatchObject({ country: 'DE', fault: null })
  expect(numbers[1]?.fault).toMatch(/\S/)
})
