import { afterAll, beforeAll, expect, test } from 'vitest'
import { utcDay } from '../../src/runtime/clock.ts'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

let house: OperatorHouse
let accountId: string
beforeAll(async () => {
  house = await startOperatorHouse()
  accountId = (await house.openAccount('Ada')).accountId
})
afterAll(() => house.stop())

const grant = (body: object, key?: string) => house.post(`/accounts/${accountId}/grants`, body, key)
const balance = async (mode: 'live' | 'test' = 'live'): Promise<number> =>
  (await house.get(`/accounts/${accountId}`)).body.balance[mode].available

test('a grant moves the balance once, however often its answer is lost', async () => {
  const before = await balance()
  const body = { sms: 500, note: 'Invoice 118' }
  const first = await grant(body, 'invoice-118')
  expect(first).toMatchObject({ status: 201, body: { object: 'ledger_entry', account_id: accountId, mode: 'live', kind: 'top_up', sms: 500, note: 'Invoice 118', actor: house.tokens.write.id } }) // prettier-ignore
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const again = await grant({ note: 'Invoice 118', sms: 500 }, '"invoice-118"')
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  await house.post(`/accounts/${accountId}/grants`, { sms: 7, note: 'Another' }, 'invoice-119')
  expect((await grant(body, 'invoice-118')).body).toEqual(first.body)
  expect(await balance()).toBe(before + 507)
})

test('of forty at the same time under one key one counts', async () => {
  const before = await balance()
  const answers = await Promise.all(Array.from({ length: 40 }, () => grant({ sms: 3, note: 'Race' }, 'race')))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  expect(await balance()).toBe(before + 3)
})

test('the same key with another body is refused, in every member of it, and changes nothing', async () => {
  const body = { sms: 5, note: 'N', kind: 'grant', mode: 'live' }
  expect((await grant(body, 'other')).status).toBe(201)
  const before = [await balance('live'), await balance('test')]
  for (const change of [{ sms: 6 }, { note: 'M' }, { kind: 'top_up' }, { mode: 'test' }])
    expect(await grant({ ...body, ...change }, 'other'), JSON.stringify(change)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
  expect([await balance('live'), await balance('test')]).toEqual(before)
  // Another account may use the same key: it is theirs.
  const other = await house.openAccount('Bob')
  expect((await house.post(`/accounts/${other.accountId}/grants`, body, 'other')).status).toBe(201)
})

test('without a key, and with what no grant can be, nothing is granted', async () => {
  const before = await balance()
  expect(await grant({ sms: 5, note: 'N' })).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
  const faulty: [object, string, string][] = [
    [{ note: 'N' }, '/sms', 'required'],
    [{ sms: 1.5, note: 'N' }, '/sms', 'wrong_type'],
    [{ sms: '5', note: 'N' }, '/sms', 'wrong_type'],
    [{ sms: 0, note: 'N' }, '/sms', 'out_of_range'],
    [{ sms: -5, note: 'N' }, '/sms', 'out_of_range'],
    [{ sms: 2_000_000_000, note: 'N' }, '/sms', 'out_of_range'],
    [{ sms: -1_000_000, note: 'N', kind: 'correction' }, '/sms', 'out_of_range'],
    [{ sms: 5 }, '/note', 'required'],
    [{ sms: 5, note: '' }, '/note', 'too_short'],
    [{ sms: 5, note: '\u0000' }, '/note', 'control_character'],
    [{ sms: 5, note: 'N', kind: 'refill' }, '/kind', 'not_in_enum'],
    [{ sms: 5, note: 'N', mode: 'play' }, '/mode', 'not_in_enum'],
    [{ sms: 5, notes: 'N', note: 'N' }, '/notes', 'unknown_field'],
  ]
  for (const [i, [body, pointer, code]] of faulty.entries())
    expect(await grant(body, `faulty-${i}`), JSON.stringify(body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer, code }] },
    })
  expect(await balance()).toBe(before)
})

test('a closed account is granted nothing more, and what it had may be taken back', async () => {
  const { accountId: id } = await house.openAccount('Cleo')
  const granted = await house.post(`/accounts/${id}/grants`, { sms: 5, note: 'N' }, 'before')
  await house.post(`/accounts/${id}/state`, { state: 'closed' })
  expect((await house.post(`/accounts/${id}/grants`, { sms: 5, note: 'N' }, 'a')).status).toBe(422)
  expect((await house.get(`/accounts/${id}/ledger?limit=1`)).body.data).toEqual([granted.body])
  // The answer that was lost.
  expect(await house.post(`/accounts/${id}/grants`, { sms: 5, note: 'N' }, 'before')).toMatchObject({
    status: 201,
    body: granted.body,
  })
  expect(
    (await house.post(`/accounts/${id}/grants`, { sms: -5, note: 'Paid back', kind: 'correction' }, 'b'))
      .status,
  ).toBe(201)
})

test('the ledger is read in pages, newest first, each mode by itself', async () => {
  const { accountId: id } = await house.openAccount('Lea')
  for (const sms of [1, 2, 3]) await house.post(`/accounts/${id}/grants`, { sms, note: `${sms}` }, `l${sms}`)
  const amounts: number[] = []
  for (let cursor = ''; ;) {
    const page = (await house.get(`/accounts/${id}/ledger?limit=2${cursor}`)).body
    amounts.push(...page.data.map((entry: { sms: number }) => entry.sms))
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  expect(amounts).toEqual([3, 2, 1, 10])
  expect((await house.get(`/accounts/${id}/ledger?mode=test`)).body.data).toMatchObject([
    { kind: 'refill', sms: 1000 },
  ])
  for (const query of ['limit=0', 'limit=101', 'cursor=led_x', 'mode=both', 'order=asc', 'limit=1&limit=2'])
    expect(await house.get(`/accounts/${id}/ledger?${query}`), query).toMatchObject({
      status: 400,
      body: { code: 'invalid_query' },
    })
})

test('usage is what was charged, by UTC day', async () => {
  const { accountId: id } = await house.openAccount('Una')
  const today = utcDay(Date.now())
  const rows = [today - 40, today - 2, today].map((day, i) => ({
    account_id: id,
    mode: 'live' as const,
    day,
    parts: i + 4,
  }))
  await house.app.storage.writer.write((tx) => tx.insertInto('usage_days').values(rows).execute())
  const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)
  const usage = (query = '') => house.get(`/accounts/${id}/usage${query}`)
  expect((await usage()).body).toEqual({
    object: 'usage',
    account_id: id,
    mode: 'live',
    from: dateOf(today - 29),
    to: dateOf(today + 1),
    sms: 11,
    days: [
      { date: dateOf(today - 2), sms: 5 },
      { date: dateOf(today), sms: 6 },
    ],
  })
  expect((await usage(`?from=${dateOf(today - 40)}&to=${dateOf(today - 2)}`)).body).toMatchObject({ sms: 4 })
  expect((await usage('?mode=test')).body).toMatchObject({ sms: 0, days: [] })
  for (const query of ['from=2026-02-30', 'from=2026-1-1', 'from=2026-02-02&to=2026-02-02', 'from=2020-01-01', 'to=x'])
    expect(await usage(`?${query}`), query).toMatchObject({ status: 400, body: { code: 'invalid_query' } }) // prettier-ignore
})
