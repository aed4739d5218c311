import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const told = 'olga: The certificate for phones at 192.168.1.10 ends soon'
const address = '192.168.1.10'
const endsIn = (days: number, source: 'own' | 'ca' = 'ca') => {
  house.certificate = { source, address, untilMs: house.clock.now() + days * dayMs }
}

test('operators are told 30 and 7 days before the certificate for phones ends, once each, and not of a new one', async () => {
  endsIn(31)
  await house.look()
  expect(house.told()).toEqual([])
  house.minutes(24 * 60)
  for (let day = 0; day < 22; day++) {
    await house.look()
    house.minutes(24 * 60)
  }
  expect(house.told()).toEqual([told])
  for (let day = 0; day < 12; day++) {
    await house.look()
    house.minutes(24 * 60)
  }
  expect(house.told()).toEqual([told, told])
  endsIn(365)
  await house.look()
  expect(house.told()).toEqual([told, told])
})

test.each([
  ['ca', 'needs internet: its log says why there is none'],
  ['own', 'certificate for-phones --own'],
] as const)('the mail says what to do about a certificate of %s', async (source, words) => {
  endsIn(20, source)
  await house.look()
  const [mail] = house.post.mails
  // Lines are folded, by the mail and by its encoding.
  const text = mail?.raw.replaceAll(/=?\r?\n/g, ' ').replaceAll(/ +/g, ' ')
  expect(text).toContain(words)
  expect(text).toContain('Phones that fetch their messages cannot connect')
})
