import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sizeOf } from '../proof-sizes.ts'
import { numbersFrom, openPhoneHouse, type PhoneHouse } from '../phones/phone-house.ts'

const kills = sizeOf('PHONE_HOUSE_KILLS')
const messages = 200 * kills

/** Which phones have sent to a number, and how often all of them. */
function sentTo(house: PhoneHouse): Map<string, { phones: Set<number>; times: number }> {
  const sent = new Map<string, { phones: Set<number>; times: number }>()
  for (const { to, phone, left } of house.phones.all.radioLog()) {
    if (!left) continue
    const known = sent.get(to) ?? { phones: new Set(), times: 0 }
    known.phones.add(phone)
    sent.set(to, { phones: known.phones, times: known.times + 1 })
  }
  return sent
}

test(`fifty phones that report late, twice and out of order, that come and go, before a server that is killed ${kills} times: every message ends, and none is sent twice`, async () => {
  const house = await openPhoneHouse({
    ownProcess: true, count: 50, startOverMs: 1_000, timeScale: 60, reportReorder: 0.3, reportDuplicate: 0.3,
    outcome: { delivered: 80, 'missing-sent': 5, regress: 5, sent: 4, failed: 2, 'no-service': 2, undelivered: 2 },
  })
  await house.liftPace()
  const numbers = numbersFrom(0, messages)
  for (let i = 0; i < kills; i++) {
    await house.send(numbers.slice((i * messages) / kills, ((i + 1) * messages) / kills))
    const away = [i * 7, i * 7 + 1, i * 7 + 2].map((index) => house.phones.phone(index))
    await Promise.all(away.map((phone) => phone.goOffline()))
    const before = sentTo(house).size
    await eventually(() => sentTo(house).size, (sent) => expect(sent).toBeGreaterThan(before + 20), 30_000)
    await house.killAndRestart()
    await wait(500)
    await Promise.all(away.map((phone) => phone.goOnline()))
  }
  const open = ({ queued = 0, sending = 0 }: Record<string, number>): void => expect(queued + sending).toBe(0)
  const counts = await eventually(house.counts, open, 120_000)
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(messages)

  const sent = sentTo(house)
  expect([...sent].filter(([, { phones }]) => phones.size > 1).map(([to]) => to)).toEqual([])
  expect([...sent].filter(([, { times }]) => times > 1).map(([to]) => to)).toEqual([])
  const shown = await house.history()
  const claimed = shown.filter(({ status }) => status === 'sent' || status === 'delivered' || status === 'undelivered')
  expect(claimed.filter(({ to }) => !sent.has(to))).toEqual([])
  await house.expectSums()
}, 300_000) // prettier-ignore
