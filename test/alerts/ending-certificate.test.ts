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
const certificate = (days: number, source: 'own' | 'ca' = 'ca', at = address) => ({
  source,
  address: at,
  untilMs: house.clock.now() + days * dayMs,
})
const endsIn = (days: number, source: 'own' | 'ca' = 'ca') =>
  house.setCertificate(1_001, certificate(days, source))

test('operators are told 30 and 7 days before the certificate for phones ends, once each, and not of a new one', async () => {
  await endsIn(31)
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
  await endsIn(365)
  await house.look()
  expect(house.told()).toEqual([told, told])
})

test.each([
  ['ca', 'needs internet: its log says why there is none'],
  ['own', 'certificate for-phones --own'],
] as const)('the mail says what to do about a certificate of %s', async (source, words) => {
  await endsIn(20, source)
  await house.look()
  const [mail] = house.post.mails
  // Lines are folded, by the mail and by its encoding.
  const text = mail?.raw.replaceAll(/=?\r?\n/g, ' ').replaceAll(/ +/g, ' ')
  expect(text).toContain(words)
  expect(text).toContain('Phones that fetch their messages cannot connect')
})

test('each node is told of by its own certificate, whichever of them decides', async () => {
  await house.setCertificate(1_001, certificate(300, 'own', '192.168.1.10'))
  await house.setCertificate(1_002, certificate(20, 'ca', '192.168.1.11'))
  await house.setCertificate(1_003, certificate(5, 'ca', '192.168.1.12'), house.clock.now() - dayMs)
  await house.look()
  expect(house.told()).toEqual([told.replace('1.10', '1.11')])
})

test('a node that restarts is told of once', async () => {
  await endsIn(20)
  await house.look()
  await house.setCertificate(1_001, certificate(20), house.clock.now())
  house.minutes(10)
  await house.look()
  await house.setCertificate(1_002, certificate(20))
  house.minutes(120)
  await house.look()
  expect(house.told()).toEqual([told])
})
