import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../api/start-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  for (const to of [['+4915112345678', '+4915112345679'], ['+14155550123']]) {
    const sent = await api.send({
      to,
      text: 'Hello',
      client_reference: `order-${to.length}`,
      metadata: { shop: 'berlin' },
    })
    expect(sent.status).toBe(202)
    await api.clock.advance(1_000)
  }
})
afterAll(() => api.close())

const history = (query = '') => api.request('GET', `/api/v1/history${query}`)
/** The faults of a refused query as `parameter code suggestion`. */
const faultsOf = async (query: string): Promise<string[]> => {
  const { status, body } = await history(query)
  expect([status, body.code]).toEqual([400, 'invalid_query'])
  return body.errors.map((fault: Record<string, string>) =>
    [fault['parameter'], fault['code'], fault['suggestion']].filter(Boolean).join(' '),
  )
}

test('history shows the messages newest first, with every member in the order of the interface', async () => {
  const { status, headers, body } = await history()
  expect(status).toBe(200)
  expect(headers.get('link')).toBeNull()
  expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null })
  expect(body.data.map((message: { to: string }) => message.to)).toEqual([
    '+14155550123',
    '+4915112345679',
    '+4915112345678',
  ])
  expect(Object.keys(body.data[0])).toEqual([
    'object', 'id', 'send_id', 'mode', 'direction', 'status', 'final', 'receipt_expected', 'to', 'country', 'from', 'device_id', 'category',
    'text', 'text_redacted', 'encoding', 'units', 'parts', 'parts_sent', 'cost', 'fallback', 'error', 'attempts', 'possible_duplicate', 'client_reference',
    'metadata', 'created_at', 'received_at', 'send_at', 'expires_at', 'sent_at', 'delivered_at', 'finalized_at', 'updated_at',
  ]) // prettier-ignore
})

test('history shows a message as its send answered it', async () => {
  const sent = await api.send({
    to: '+4915112345600',
    text: 'Hi Ana – it’s on its way',
    metadata: { a: 'b' },
  })
  const { body } = await history(`?id=${sent.body.messages[0].id}`)
  expect(body.data).toEqual(sent.body.messages)
})

test('next_cursor and the Link header lead to the next page, and the limit may change on the way', async () => {
  const first = await history('?limit=1&client_reference=order-2&include=timeline')
  expect(first.body).toMatchObject({
    has_more: true,
    data: [{ to: '+4915112345679', timeline: [{ status: 'queued', attempt_id: null, device_id: null }] }],
  })
  const link = /^<(\/api\/v1\/history\?limit=1&cursor=[A-Za-z0-9_-]+)>; rel="next"$/.exec(
    first.headers.get('link') ?? '',
  )?.[1] as string

  const linked = await api.request('GET', link)
  const asked = await history(`?cursor=${first.body.next_cursor}&limit=50`)

  expect(linked.body.data).toMatchObject([{ to: '+4915112345678', timeline: [{ status: 'queued' }] }])
  expect(asked.body).toEqual({ ...linked.body, has_more: false, next_cursor: null })
})

test('a cursor stands alone, and that of another mode is none', async () => {
  const { body } = await history('?limit=1')
  expect(await faultsOf(`?cursor=${body.next_cursor}&status=sent`)).toEqual(['status unknown_parameter'])
  const foreign = await api.request('GET', `/api/v1/history?cursor=${body.next_cursor}`, {
    key: api.account.liveKey,
  })
  expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_cursor'])
  const made = await history('?cursor=AAAA')
  expect([made.status, made.body.code]).toEqual([400, 'invalid_cursor'])
})

test('a number needs its plus as %2B, and a bare one is told so', async () => {
  expect((await history('?to=%2B14155550123')).body.data).toHaveLength(1)
  expect(await faultsOf('?to=+14155550123')).toEqual(['to invalid_format %2B14155550123'])
  for (const parameter of ['to', 'from', 'client_reference']) {
    expect(await faultsOf(`?${parameter}=Acme+Ltd`)).toEqual([`${parameter} invalid_format Acme%2BLtd`])
    expect((await history(`?${parameter}=Acme%20Ltd`)).status).toBe(200)
    expect((await history(`?${parameter}=Acme%2BLtd`)).status).toBe(200)
  }
  expect(await faultsOf('?to=%2B1-415-555-0123')).toEqual(['to invalid_format +14155550123'])
  expect(await faultsOf('?created_after=2026-11-21T09:30:00+01:00')).toEqual([
    'created_after invalid_format 2026-11-21T09:30:00%2B01:00',
  ])
})

test('a sender may be anything that history shows as one, and a number is written in E.164 there too', async () => {
  for (const shown of ['*144#', 'Bücher', 'VodafoneService', '65', '4915112345678901'])
    expect((await history(`?from=${encodeURIComponent(shown)}`)).status).toBe(200)
  expect(await faultsOf('?from=%2B1-415-555-0123')).toEqual(['from invalid_format +14155550123'])
  expect(await faultsOf(`?from=${'x'.repeat(65)}`)).toEqual(['from invalid_format'])
  expect(await faultsOf('?to=B%C3%BCcher')).toEqual(['to invalid_format'])
})

test('all faults of a query are told at once', async () => {
  expect(
    await faultsOf(
      '?clientreference=x&limit=0&status=delivred&status=sent&order=up&id=1&limit=3&device_id=msg_1&country=de&send_id=%zz&error_code=unreachabel',
    ),
  ).toEqual([
    'clientreference unknown_parameter client_reference',
    'send_id invalid_format',
    'limit repeated_parameter',
    'id invalid_format',
    'status not_in_enum delivered',
    'error_code not_in_enum unreachable',
    'device_id invalid_format',
    'country invalid_format',
    'order not_in_enum',
  ])
})

test('a time needs its offset, a real day and any offset it likes', async () => {
  const none = [
    '2026-11-21T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-11-21',
    '1795253400',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:30:00%2B25:00',
  ]
  for (const time of none)
    expect(await faultsOf(`?created_before=${time}`)).toEqual([
      expect.stringMatching(/^created_before invalid_format/),
    ])
  const same = [
    '2026-11-21T09:30:01Z',
    '2026-11-21T10:30:01%2B01:00',
    '2026-11-21t04:00:01.000-05:30',
    '2026-11-21T09:30:00.0000001Z',
  ]
  const counts = await Promise.all(
    same.map(async (time) => (await history(`?created_before=${time}`)).body.data.length),
  )
  expect(counts).toEqual([2, 2, 2, 2])
})

test('created_after takes its instant in and created_before leaves it out', async () => {
  const second = '2026-11-21T09:30:01.000Z'
  expect((await history(`?created_after=${second}`)).body.data.at(-1)).toMatchObject({ created_at: second })
  expect((await history(`?created_before=${second}`)).body.data[0]).toMatchObject({
    created_at: '2026-11-21T09:30:00.000Z',
  })
})

test('updated_after orders by change and takes no descending order', async () => {
  const { body } = await history('?updated_after=2026-11-21T09:30:00Z&limit=2')
  expect(body.data.map((message: { to: string }) => message.to)).toEqual(['+4915112345678', '+4915112345679'])
  expect(await faultsOf('?updated_after=2026-11-21T09:30:00Z&order=desc')).toEqual(['order not_in_enum asc'])
})

test('at most a hundred ids and limits from 1 to 100', async () => {
  const id = (await history('?limit=1')).body.data[0].id
  expect(await faultsOf(`?${`id=${id}&`.repeat(101)}`)).toEqual(['id too_many_items'])
  expect((await history(`?${`id=${id}&`.repeat(100)}`)).body.data).toHaveLength(1)
  for (const limit of ['0', '101', '-1', '1.5', '', 'ten'])
    expect(await faultsOf(`?limit=${limit}`)).toHaveLength(1)
})
