import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { keywordTerms } from './keyword-terms.ts'
import { number, openKeywordHouse } from './keyword-house.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

/** What a person asks for with one word, and what the service does about it. */

type KeywordHouse = Awaited<ReturnType<typeof openKeywordHouse>>
let keywords: KeywordHouse
let house: KeywordHouse['house']
let ids: KeywordHouse['ids']
let hear: KeywordHouse['hear']
let messages: KeywordHouse['messages']
let optOuts: KeywordHouse['optOuts']
let holding: KeywordHouse['holding']
beforeEach(async () => {
  keywords = await openKeywordHouse()
  ;({ house, ids, hear, messages, optOuts, holding } = keywords)
})
afterEach(() => keywords.close())

test('an SMS that is told again with less said of it, or more, is one message; another one of the same words is not', async () => {
  const received = () => house.store.db.selectFrom('messages').select('id').where('direction', '=', 'inbound').execute()
  const tell = async (fingerprint: string, keeps: string[], looksFor: string[]) => {
    await hear('Yes', { fingerprint, toldOtherwise: { keeps, looksFor } })
    return (await received()).length
  }
  expect(await tell('sim 1', ['dated/1'], ['no sim'])).toBe(1)
  expect(await tell('no sim', [], ['sim 1', 'sim 2'])).toBe(1)
  expect(await tell('no date', [], ['dated/'])).toBe(1)
  expect(await tell('sim 2', ['dated2/1'], ['none', 'date/'])).toBe(2)
  for (const [text, fingerprint] of [['STOP', 'a'], ['START', 'b'], ['STOP', 'c']] as const)
    await hear(text, { fingerprint, toldOtherwise: { keeps: [], looksFor: [fingerprint === 'c' ? 'a' : 'none'] } })
  expect([(await received()).length, (await holding()).length]).toEqual([4, 1])
}) // prettier-ignore

test.for([
  ['each SMS is told at once in both ways', ['dated 1', 'dateless 1', 'dated 2', 'dateless 2']],
  ['all are told in one way, then in the other', ['dated 1', 'dated 2', 'dateless 1', 'dateless 2']],
  ['they are told the other way around', ['dateless 1', 'dated 1', 'dateless 2', 'dated 2']],
  ['each is told again', ['dated 1', 'dated 1', 'dateless 1', 'dateless 1', 'dated 2', 'dateless 2', 'dateless 2']],
] as const)('two SMS of the same words that are told with a date and without are two, whatever their order: %s', async ([, told]) => {
  for (const each of told) {
    const [kind, id] = each.split(' ') as [string, string]
    const looksFor = [kind === 'dated' ? 'dateless/' : 'dated/']
    await hear('Yes', { fingerprint: each, toldOtherwise: { keeps: [`${kind}/${id}`], looksFor } })
  }
  const received = await house.store.db.selectFrom('messages').select('id').where('direction', '=', 'inbound').execute()
  expect(received).toHaveLength(2)
}) // prettier-ignore

test('STOP is stored with one confirmation, and what waits is canceled at no cost', async () => {
  await house.send()
  await house.send({ recipients: [{ to: '+4915187654321', country: 'DE' }] })
  const followed = await hear(' Stop. ')
  expect(await optOuts()).toMatchObject([
    { account_id: 'acc_a', mode: 'live', recipient: number, forget_at: null, origin: 'message', device_id: 'dev_s' },
  ])
  const [first, other, confirmation] = await messages()
  expect(first).toMatchObject({ status: 'canceled', error_code: 'recipient_opted_out', cost_state: 'released' })
  expect(other).toMatchObject({ status: 'queued', error_code: null })
  expect(confirmation).toMatchObject({ status: 'queued', recipient: number, text: keywordTerms.confirmation, held: 1, sender: null })
  expect(followed).toMatchObject({
    keyword: 'stop',
    optedOut: [{ accountId: 'acc_a', mode: 'live', recipient: number, confirmationId: confirmation!.id }],
    routes: [{ account_id: 'acc_a', mode: 'live', route_key: 'live:' }],
  })
  const received = house.store.db.selectFrom('messages').select(['text', 'status']).where('direction', '=', 'inbound')
  expect(await received.execute()).toEqual([{ text: ' Stop. ', status: 'received' }])
}) // prettier-ignore

test('the confirmation is the one message that is handed over to the number afterwards', async () => {
  await hear('STOP')
  await house.clock.advance(1)
  await house.send()
  const claimed = await house.claim()
  expect(claimed).toMatchObject({ to: number, text: keywordTerms.confirmation })
  await expect(house.claim()).rejects.toThrow('nothing to claim')
  expect((await messages()).map(({ status }) => status)).toEqual(['sending', 'canceled'])
})

test('a STOP that looks like a repeat is followed where START came in between, and kept once; START is never followed twice', async () => {
  const guess = (of: string) => ({ fingerprint: of, fingerprintGuessed: true }) as const
  await hear('STOP', guess('stop'))
  expect((await hear('STOP', guess('stop')))?.optedOut).toEqual([])
  await hear('START', guess('start'))
  expect(await holding()).toEqual([])
  expect((await hear('STOP', guess('stop')))?.optedOut).toMatchObject([{ accountId: 'acc_a', recipient: number }])
  expect(await hear('START', guess('start'))).toMatchObject({ keyword: null, optedIn: [] })
  expect(await holding()).toHaveLength(1)
  const received = house.store.db.selectFrom('messages').select('text').where('direction', '=', 'inbound').orderBy('id')
  expect((await received.execute()).map(({ text }) => text)).toEqual(['STOP', 'START'])
}) // prettier-ignore

test('a STOP that is told again under a name that no other message has is older than the START behind it, and opts nobody out', async () => {
  await hear('STOP', { fingerprint: 'stop' })
  await hear('START', { fingerprint: 'start' })
  expect(await hear('STOP', { fingerprint: 'stop' })).toMatchObject({ keyword: null, optedOut: [] })
  expect(await holding()).toEqual([])
})

test('what was being handed over and comes back is canceled by the next claim', async () => {
  await house.send()
  const claimed = await house.claim()
  await hear('STOP', {}, { confirmation: null })
  expect((await messages())[0]?.status).toBe('sending')
  await house.end(claimed, { kind: 'unavailable', detail: 'gone' })
  await house.clock.advance(120_000)
  const nowMs = house.clock.now()
  const request = { accountId: 'acc_a', mode: 'live', routeKey: 'live:', deviceId: 'dev_s', quota: 1, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const wanted = { requests: [request], nowMs, dueMs: nowMs, fence: 1 }
  const claim = () =>
    house.store.writer.write((tx) => claimMessages(tx, ids, wanted, changeOnDemand(tx, nowMs)))
  // It found as a row of its request, behind which there may be more, and its account is told.
  expect(await claim()).toEqual({ claimed: [], found: [1], canceledFor: ['acc_a'] })
  expect(await claim()).toEqual({ claimed: [], found: [0] })
  expect(await messages()).toMatchObject([{ status: 'canceled', error_code: 'recipient_opted_out', cost_state: 'released' }]) // prettier-ignore
})

test('what is scheduled for later is canceled too', async () => {
  await house.send({ sendAt: house.clock.now() + dayMs })
  await hear('STOP', {}, { confirmation: null })
  expect(await messages()).toMatchObject([{ status: 'canceled', error_code: 'recipient_opted_out', cost_state: 'released' }]) // prettier-ignore
  expect(await house.store.db.selectFrom('deferred').selectAll().execute()).toEqual([])
})

test('without the balance for it there is no confirmation, and the opt-out holds all the same', async () => {
  for (let sent = 0; sent < 100; sent++) await house.send({ recipients: [{ to: '+4915187654321', country: 'DE' }] }) // prettier-ignore
  expect(await hear('STOP')).toMatchObject({ optedOut: [{ confirmationId: null }], routes: [] })
  expect(await holding()).toHaveLength(1)
})

test('what the cancellation sets free pays for the confirmation', async () => {
  for (let sent = 0; sent < 100; sent++) await house.send()
  expect((await hear('STOP'))?.routes).toHaveLength(1)
})

test('who says STOP again is told nothing again; START ends it; who goes to and fro is told once a day', async () => {
  await hear('STOP')
  expect(await hear('STOP')).toMatchObject({ keyword: 'stop', optedOut: [], routes: [] })
  expect(await hear('start')).toMatchObject({ keyword: 'start', optedIn: [{ accountId: 'acc_a', recipient: number }] }) // prettier-ignore
  expect(await holding()).toEqual([])
  expect(await hear('START')).toMatchObject({ optedIn: [] })
  await house.clock.advance(dayMs - 5)
  expect(await hear('STOP')).toMatchObject({ optedOut: [{ confirmationId: null }] })
  await hear('UNSTOP')
  await house.clock.advance(1)
  expect((await hear('STOP'))?.routes).toHaveLength(1)
  expect(await holding()).toHaveLength(1)
})

test('START takes back what stands under the hash of an erased number', async () => {
  const row = { account_id: 'acc_a', mode: 'live', recipient: keywordTerms.numbers.of(number), created_at: 1, forget_at: null } as const // prettier-ignore
  await house.store.writer.write((tx) => insertRows(tx, 'opt_outs', [row]))
  expect(await hear('START')).toMatchObject({ optedIn: [{ recipient: number }] })
  expect(await holding()).toEqual([])
})

test.for([
  ['a longer text', 'Please stop', {}],
  ['a name', 'STOP', { from: 'STOP' }],
  ['a short number', 'STOP', { from: '22333' }],
  ['a national number', 'STOP', { from: '015112345678' }],
  ['a number that nobody says to be international', 'STOP', { from: '4915112345678' }],
] as const)('%s is stored and changes nothing', async ([, text, more]) => {
  await house.send()
  await hear(text, more)
  expect(await optOuts()).toEqual([])
  expect(await messages()).toMatchObject([{ status: 'queued' }])
})

test('STOP holds in the mode in which it was said', async () => {
  await house.send()
  await hear('STOP', { mode: 'test' }, { confirmation: null })
  expect(await optOuts()).toMatchObject([{ mode: 'test' }])
  expect(await messages()).toMatchObject([{ status: 'queued' }])
})

test('endpoints are told of the message, of what it canceled, and of the number, each once', async () => {
  const nowMs = house.clock.now()
  const endpoint = { account_id: 'acc_a', id: 'whk_a', url: 'https://example.com/', state: 'enabled', secret: 'sealed', created_at: nowMs, updated_at: nowMs } as const // prettier-ignore
  await house.store.writer.write((tx) => insertRows(tx, 'webhook_endpoints', [endpoint]))
  await house.send()
  await hear('STOP')
  await hear('STOP')
  await hear('START')
  const rows = await house.store.db
    .selectFrom('webhook_events')
    .select(['type', 'recipient', 'facts', 'id'])
    .orderBy('at')
    .execute()
  expect(rows.map(({ type }) => type).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'message.canceled', 'message.queued', 'message.queued', 'message.received', 'message.received', 'message.received', 'recipient.opted_in',
    'recipient.opted_out',
  ]) // prettier-ignore
  const consents = rows.filter(({ type }) => type.startsWith('recipient.'))
  const facts = '{"origin":"message"}'
  expect(consents).toMatchObject([
    { type: 'recipient.opted_out', recipient: number, facts },
    { type: 'recipient.opted_in', recipient: number, facts },
  ])
})

test('words of the operator count, and an answer goes out under the number that was written to where a device can', async () => {
  await hear('Stopp!', { answerFrom: '12345' }, { stopWords: { more: ['stopp'], off: [] } })
  expect(await messages()).toMatchObject([{ sender: '12345' }])
})

test('the number of the simulator that says STOP is forgotten after a minute', async () => {
  await hear('STOP', { from: '+15005550011', mode: 'test' })
  await hear('STOP', { from: '+15005550011' })
  expect((await optOuts()).map((row) => [row.mode, row.forget_at])).toEqual([
    ['live', null],
    ['test', house.clock.now() - 1 + 60_000],
  ])
})

test('HELP is answered, once an hour, and not where nothing is set or the number has opted out', async () => {
  expect((await hear('HELP', {}, { help: null }))?.routes).toEqual([])
  expect((await hear('Info'))?.routes).toHaveLength(1)
  expect((await hear('HELP'))?.routes).toEqual([])
  await house.clock.advance(3_600_000)
  expect((await hear('HELP'))?.routes).toHaveLength(1)
  await hear('STOP')
  await house.clock.advance(3_600_001)
  expect((await hear('HELP'))?.routes).toEqual([])
  expect((await messages()).map(({ text }) => text)).toEqual([
    keywordTerms.help,
    keywordTerms.help,
    keywordTerms.confirmation,
  ])
})

describe('through a device that every account may use', () => {
  const shared = { accountId: 'acc_a', isShared: true } as const
  beforeEach(async () => {
    const nowMs = house.clock.now()
    await house.store.writer.write(async (tx) => {
      for (const id of ['acc_b', 'acc_c']) {
        await insertRows(tx, 'accounts', [{ id, name: id, state: 'active', created_at: nowMs, updated_at: nowMs }]) // prettier-ignore
        await openWallets(tx, { ids, nowMs }, { accountId: id, freeSms: 10, playSms: 0, lowThreshold: 0, actor: 'test' }) // prettier-ignore
      }
    })
  })
  const strangers: string[] = []
  const sent = (accountId: string, agoMs: number) => {
    const at = house.clock.now() + 1 - agoMs
    const row = storedMessage({ account_id: accountId, id: ids('msg'), created_at: at, ...deliveredAt(at), device_id: 'dev_s' }) // prettier-ignore
    strangers.push(row.id)
    return house.store.writer.write((tx) => insertRows(tx, 'messages', [row]))
  }
  // No sum counts them.
  afterEach(() =>
    house.store.writer.write((tx) =>
      tx.deleteFrom('messages').where('id', 'in', strangers.splice(0)).execute(),
    ),
  )

  test('STOP holds for every account that has sent there within 90 days, and nobody pays for an answer', async () => {
    await sent('acc_b', 90 * dayMs)
    await sent('acc_c', 90 * dayMs + 1)
    await hear('STOP', shared)
    expect((await optOuts()).map((row) => row.account_id)).toEqual(['acc_a', 'acc_b'])
    expect((await messages()).every(({ status }) => status === 'delivered')).toBe(true)
  })

  test('a STOP that names the message which it answers is for its account alone, as the one of the simulator', async () => {
    await sent('acc_b', 1_000)
    await hear('STOP', { ...shared, inReplyTo: 'sim_of_acc_a' })
    expect((await optOuts()).map((row) => row.account_id)).toEqual(['acc_a'])
  })

  test('where the operator wants it the account answers that the message is for, alone', async () => {
    await sent('acc_b', 1_000)
    const followed = await hear('STOP', shared, { answersShared: true })
    expect(followed?.routes).toMatchObject([{ account_id: 'acc_a' }])
    expect(followed?.optedOut).toHaveLength(2)
  })

  test('it holds also when the message itself is for nobody', async () => {
    await sent('acc_b', 60 * dayMs)
    await hear('STOP', { ...shared, accountId: null })
    expect((await optOuts()).map((row) => row.account_id)).toEqual(['acc_b'])
  })

  test('START ends it for all of them, however long ago it was, and not what another device heard', async () => {
    await sent('acc_b', 1_000)
    await hear('STOP', shared)
    await hear('STOP', { accountId: 'acc_c', deviceId: 'dev_own' }, { confirmation: null })
    await house.clock.advance(200 * dayMs)
    await hear('START', { ...shared, accountId: null })
    expect((await holding()).map((row) => row.account_id)).toEqual(['acc_c'])
  })
})
