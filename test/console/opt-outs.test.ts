import { afterAll, beforeAll, expect, test } from 'vitest'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const number = (n: number): string => `+49151${String(n).padStart(8, '0')}`
const list = async (input: object = {}) =>
  (await house.ada.read('opt-outs/list', input)).body as {
    rows: { recipient: string }[]
    next: string | null
  }

test('a pasted list is stored, its bad lines named, and listed page by page, the newest first', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => number(i))
  const { body } = await house.ada.change('opt-outs/add', { text: [...lines, 'nobody'].join('\n') })
  expect(body).toMatchObject({ added: 120, known: 0, canceled: 0, faults: [{ line: 121 }] })
  expect((await house.ada.change('opt-outs/add', { text: number(3) })).body).toMatchObject({
    added: 0,
    known: 1,
  })
  const seen: string[] = []
  for (let beforeId: string | null = ''; beforeId !== null;) {
    const page = await list(beforeId === '' ? {} : { beforeId })
    expect(page.rows.length).toBeLessThanOrEqual(50)
    seen.push(...page.rows.map(({ recipient }) => recipient))
    beforeId = page.next
  }
  expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual(lines)
})

test('one number is looked for in any spelling, and what is none is refused', async () => {
  expect((await list({ number: '0049 151 00000007' })).rows).toMatchObject([
    { recipient: number(7), origin: 'console' },
  ])
  expect((await list({ number: number(999) })).rows).toEqual([])
  const { status, body } = await house.ada.read('opt-outs/list', { number: 'nobody' })
  expect([status, body]).toMatchObject([422, { code: 'validation_failed' }])
})

test('it counts for sends at once and for the other account not; once it is taken away it does not', async () => {
  const send = (who: TestConsole['ada']) =>
    who.change('send/one', { body: { to: number(5), text: 'Hi' }, key: crypto.randomUUID() })
  expect((await send(house.ada)).body).toMatchObject({
    code: 'recipients_rejected',
    errors: [{ pointer: '/to', code: 'recipient_opted_out' }],
  })
  expect(JSON.stringify((await send(house.bob)).body)).not.toContain('recipient_opted_out')
  expect((await house.bob.change('opt-outs/remove', { recipient: number(5) })).body).toEqual({
    removed: false,
  })
  expect((await house.ada.change('opt-outs/remove', { recipient: number(5) })).body).toEqual({
    removed: true,
  })
  expect(JSON.stringify((await send(house.ada)).body)).not.toContain('recipient_opted_out')
  expect((await list({ number: number(5) })).rows).toEqual([])
})

test('more numbers than one transaction stores are refused whole', async () => {
  const text = Array.from({ length: 501 }, (_, i) => number(1_000 + i)).join('\n')
  expect((await house.ada.change('opt-outs/add', { text })).body).toMatchObject({ code: 'validation_failed' })
  expect((await list({ number: number(1_000) })).rows).toEqual([])
})

test('conversations are the account’s own, in its mode, and say whether they may be answered', async () => {
  const stopping = '+15005550011'
  const send = { body: { to: stopping, text: 'Shall we write to you?' }, key: crypto.randomUUID() }
  const { ada, bob } = house
  const inTest = { mode: 'test' } as const
  expect((await ada.change('send/one', send, inTest)).status).toBe(200)
  const page = async (who: TestConsole['ada']) =>
    (await who.read('conversations/page', { number: stopping }, inTest)).body as {
      messages: { text: string; direction: string }[]
      hasOptedOut: boolean
    }
  await expect
    .poll(async () => (await page(ada)).messages.map(({ direction, text }) => `${direction} ${text}`), {
      timeout: 10_000,
    })
    .toEqual(['inbound STOP', 'outbound Shall we write to you?'])
  expect(await page(ada)).toMatchObject({ hasOptedOut: true, isWritable: true, next: null })
  expect((await ada.read('conversations/list', {}, inTest)).body).toMatchObject({
    conversations: [{ number: stopping, last: { direction: 'inbound', text: 'STOP' } }],
    next: null,
  })
  expect((await bob.read('conversations/list', {}, inTest)).body).toEqual({ conversations: [], next: null })
  expect(await page(bob)).toMatchObject({ messages: [], hasOptedOut: false })
  expect((await ada.read('conversations/page', { number: 'ACME' })).body).toMatchObject({
    messages: [],
    isWritable: false,
  })
})
