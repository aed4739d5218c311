import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { cliJson } from '../run-command.ts'
import { sizeOf } from '../proof-sizes.ts'
import { judgeTexts } from '../peers/sms-text/reassemble.ts'
import { numbersFrom, openSmppHouse } from './smpp-house.ts'

const all = sizeOf('SMSC_MESSAGES')
const texts = [
  { text: 'Your code is 123456', parts: 1, count: all * 0.6 },
  { text: 'Your parcel costs 3 € [today]. '.repeat(8), parts: 2, count: all * 0.15 },
  { text: 'Ваша посылка придёт сегодня', parts: 1, count: all * 0.15 },
  { text: '👨‍👩‍👧‍👦 Familie, '.repeat(12), parts: 4, count: all * 0.1 },
]

test(`${all} messages through an SMSC that we did not write arrive, letter by letter, and cost what they should`, async () => {
  const house = await openSmppHouse({ settings: ['window=50', 'sessions=2'] })
  const meant: { to: string; text: string }[] = []
  let first = 0
  for (const { text, count } of texts) {
    const numbers = numbersFrom(first, count)
    first += count
    await house.send(text, numbers)
    meant.push(...numbers.map((to) => ({ to, text })))
  }
  const used = texts.reduce((sum, { parts, count }) => sum + parts * count, 0)
  await eventually(() => house.smsc.submits().length, (submits) => expect(submits).toBe(used), 60_000)
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: all }), 30_000)
  const { lost, twice, strange, incomplete, repeated, wrong, inexact } = judgeTexts(meant, house.smsc.submits())
  expect({ lost, twice, strange, incomplete, repeated, wrong, inexact }).toEqual({
    lost: [], twice: [], strange: [], incomplete: [], repeated: [], wrong: [], inexact: [],
  })
  const { accounts } = await cliJson<{ accounts: { id: string; used: number }[] }>(['account', 'list'], house.server.dataFolder)
  expect(accounts.find(({ id }) => id === house.accountId)).toBeDefined()
  expect(await cliJson(['doctor'], house.server.dataFolder)).toMatchObject({ ok: true })
  expect(house.smsc.submits()).toHaveLength(used)
}, 150_000) // prettier-ignore
