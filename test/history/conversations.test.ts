import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConversation, readConversations } from '../../src/messages/history/conversations.ts'
import type { MessageRow } from '../../src/messages/core/message-store.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { deliveredAt, storedMessage } from './stored-messages.ts'

let house: TestStorage
beforeEach(async () => {
  house = await openTestStorage()
})
afterEach(() => house.close())

const ada = { accountId: 'acc_ada', mode: 'live' } as const
const number = (n: number): string => `+49151${String(n).padStart(8, '0')}`

const store = async (rows: readonly Partial<MessageRow>[]): Promise<void> => {
  const stored: MessageRow[] = []
  for (const row of rows) {
    await house.clock.advance(1)
    const at = house.clock.now()
    stored.push(
      storedMessage({
        account_id: 'acc_ada',
        id: house.ids('msg'),
        created_at: at,
        ...deliveredAt(at),
        ...row,
      }),
    )
  }
  await house.storage.writer.write((tx) => insertRows(tx, 'messages', stored))
}
const heard = (sender: string, text: string, more: Partial<MessageRow> = {}): Partial<MessageRow> => ({
  direction: 'inbound', status: 'received', sender, recipient: '12345', text, send_id: null, held: 0, charged: 0, cost_state: 'none', parts_sent: 0,
  attempts: 0, sent_at: null, delivered_at: null, receipt_expected: null, ...more,
}) // prettier-ignore
const said = (recipient: string, text: string, more: Partial<MessageRow> = {}): Partial<MessageRow> => ({
  recipient,
  text,
  ...more,
})
const numbers = async (beforeId: string | null = null, limit = 30) => {
  const page = await readConversations(house.storage.read, ada, { beforeId, limit })
  return {
    told: page.conversations.map(({ number: each, last }) => `${each} ${last.text}`),
    next: page.nextBeforeId,
  }
}

test('a number that has written stands once, by its last word, with the newest message to or from it', async () => {
  await store([
    heard(number(1), 'one'),
    heard(number(2), 'two'),
    said(number(1), 'answer'),
    said(number(3), 'never answered'),
    heard(number(4), 'three'),
    heard(number(1), 'again'),
    heard(number(2), 'two again'),
    said(number(2), 'bye'),
    heard('ACME', 'a name'),
    heard('22333', 'short'),
    heard('2025550123', 'a national number'),
    heard(number(5), 'other mode', { mode: 'test' }),
    heard(number(6), 'other account', { account_id: 'acc_bob' }),
    heard(null as never, 'erased'),
  ])
  expect(await numbers()).toEqual({
    told: [
      '2025550123 a national number',
      '22333 short',
      'ACME a name',
      `${number(2)} bye`,
      `${number(1)} again`,
      `${number(4)} three`,
    ],
    next: null,
  })
})

test('pages go on where the last one ended, and nobody stands on two of them', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => heard(number((i * 7) % 13), `text ${i}`))
  await store(rows)
  const whole = (await numbers()).told
  expect(whole).toHaveLength(13)
  const seen: string[] = []
  for (let beforeId: string | null = null, isLast = false; !isLast;) {
    const page: Awaited<ReturnType<typeof numbers>> = await numbers(beforeId, 4)
    seen.push(...page.told)
    beforeId = page.next
    isLast = beforeId === null
  }
  expect(seen).toEqual(whole)
})

test('a page goes on behind messages of which nothing is left to show', async () => {
  const newer = Array.from({ length: 2_499 }, () => heard(number(2), 'new'))
  await store([heard(number(1), 'old'), heard(null as never, 'erased'), ...newer])
  const first = await numbers()
  expect(first.told).toEqual([`${number(2)} new`])
  expect(await numbers(first.next)).toEqual({ told: [`${number(1)} old`], next: null })
})

test('a conversation holds what was said to and by its number, the newest first and page by page', async () => {
  await store([
    said(number(1), 'a'),
    heard(number(1), 'b'),
    heard(number(2), 'not this'),
    heard(number(1), 'c'),
    said(number(1), 'd'),
    heard(number(1), 'e'),
    heard(number(1).slice(1), 'not this: a national number'),
    said(number(1), 'other mode', { mode: 'test' }),
    heard('12345', 'not this', { recipient: number(1) }),
  ])
  const seen: (string | null)[] = []
  for (let beforeId: string | null = null, isLast = false; !isLast;) {
    const page: Awaited<ReturnType<typeof readConversation>> = await readConversation(
      house.storage.read,
      ada,
      { number: number(1), beforeId, limit: 2 },
    )
    seen.push(...page.rows.map(({ text }) => text))
    beforeId = page.nextBeforeId
    isLast = beforeId === null
  }
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
})

describe.each(['fresh', 'analysed'])('on %s tables', (state) => {
  test('nothing is read but received messages, and messages of the number', async () => {
    await store(
      Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? heard(number(i), 'x') : said(number(i), 'y'))),
    )
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const { read } = house.storage
    const statements = await statementsOf(read, async () => {
      await readConversations(read, ada, { beforeId: null, limit: 1 })
      await readConversations(read, ada, { beforeId: house.ids('msg'), limit: 1 })
    })
    const steps = await stepsOf(house.dataFolder, ...statements)
    const indexes = steps.map((step) => /messages_\w+/.exec(step)?.[0] ?? step)
    const one = ['messages_by_recipient', 'messages_received_from']
    const other = ['messages_received', 'messages_received_from', ...one]
    expect(indexes).toEqual(['messages_received', ...one, ...other])
  })
})
