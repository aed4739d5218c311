import { expect, test } from 'vitest'
import { amountIn } from '../../src/connectors/modem/run/credit-watch.ts'
import { ussdText } from '../../src/connectors/modem/receive/ussd-text.ts'
import type { ModemOptions } from '../at-modem/modem-pool.ts'
import { openStubLink, type StubLink } from './stub-link.ts'

const text = 'Guthaben: 12,34 EUR'
const credits = ({ logged }: StubLink): unknown[] =>
  logged.filter(({ message }) => message === 'the credit of a SIM').map(({ detail }) => detail['credit'])
const questions = ({ modem }: StubLink): number =>
  modem.commands().filter((command) => command === 'AT+CUSD=1,"*100#",15').length

const open = async (ussd: NonNullable<ModemOptions['settings']>['ussd'], settings: Record<string, string> = {}): Promise<StubLink> => {
  const opened = await openStubLink({ settings: { ussd: ussd ?? {} } }, { settings: { ussd_balance: '*100#', ...settings } })
  await opened.isOnline()
  return opened
} // prettier-ignore

test('28: an answer is plain, packed septets, or UCS-2 in hexadecimal', () => {
  // Of the emulator's own codec, and of 3GPP TS 23.038, section 6.1.2.3: eight septets in seven octets.
  expect(ussdText(text)).toBe(text)
  expect(ussdText('C8329BFD06')).toBe('Hello')
  expect(ussdText(Buffer.from(text, 'utf16le').swap16().toString('hex'))).toBe(text)
  expect(ussdText(Buffer.from('Баланс 12,34 р', 'utf16le').swap16().toString('hex'))).toBe('Баланс 12,34 р')
  expect([ussdText('20'), ussdText('')]).toEqual(['20', ''])
})

test('28: the amount is the first number, or what the pattern finds', () => {
  const first = /-?\d+(?:[.,]\d+)?/
  expect(amountIn(text, first)).toBe(12.34)
  expect(amountIn('You owe -0.50 until 2027', first)).toBe(-0.5)
  expect(amountIn('Tarif 5: Guthaben 3,10 EUR', /Guthaben ([0-9,]+)/u)).toBe(3.1)
  expect([amountIn('no number', first), amountIn('', first), amountIn('12345678901', first)]).toEqual([null, null, null])
}) // prettier-ignore

test.for([
  ['plain', 'before-ok'],
  ['plain', 'after-ok'],
  ['packed-hex', 'after-ok'],
  ['ucs2-hex', 'after-ok'],
] as const)('28: the credit is asked for, %s and %s, and read', async ([form, when]) => {
  const opened = await open({ form, when })
  await opened.until(() => credits(opened).length > 0)
  expect(credits(opened)).toEqual([12.34])
  expect(opened.link.health()).toMatchObject({ status: 'online', reasons: [] })
})

test('28: it is asked for when it is due, and not again before; what never comes is no fault', async () => {
  const opened = await open({ when: 'never' }, { ussd_hours: '1' })
  await opened.pass(1_800_000)
  expect([questions(opened), credits(opened), opened.link.health().status]).toEqual([1, [], 'online'])
  await opened.pass(3_600_000)
  expect(questions(opened)).toBe(2)
})

test('28: below ussd_low the device is degraded and sends on, until there is credit again', async () => {
  const opened = await open({}, { ussd_low: '20', ussd_hours: '1' })
  await opened.until(() => opened.link.health().status === 'degraded')
  expect(opened.link.health().reasons).toEqual(['credit_low'])
  expect((await opened.submit()).kind).toBe('accepted')
  await opened.modem.set({ ussd: { answers: { '*100#': 'Guthaben: 35,00 EUR' } } })
  await opened.pass(3_700_000)
  expect(opened.link.health()).toMatchObject({ status: 'online', reasons: [] })
})

test('28: an answer of several lines is read as one, a menu is left, and neither is logged', async () => {
  const opened = await open({ when: 'never' }, { ussd_hours: '1', trace: 'on' })
  await opened.until(() => questions(opened) === 1)
  await opened.modem.say('+CUSD: 1,"Ihre Nummer 01711234567')
  await opened.modem.say('Guthaben: 7,20 EUR",15')
  await opened.until(() => opened.modem.commands().includes('AT+CUSD=2'), 5_000)
  const log = JSON.stringify(opened.logged)
  expect(['01711234567', 'Ihre Nummer', '7,20'].filter((secret) => log.includes(secret))).toEqual([])
})

test.for(['before-ok', 'after-ok'] as const)('28: an answer of several lines that comes %s is whole, also where one begins with a sign', async (when) => {
  const answers = { '*100#': 'Ihre Nummer:\r\n+491711234567\r\nGuthaben: 7,20 EUR' }
  const opened = await open({ when, answers }, { ussd_pattern: 'Guthaben: ([0-9,]+)' })
  await opened.until(() => credits(opened).length > 0)
  expect(opened.link.health().credit).toEqual({ amount: 7.2, at: expect.any(Number) as number })
}) // prettier-ignore

test('28: what a modem says between the lines of an answer is heard', async () => {
  const opened = await open({ when: 'never' })
  await opened.until(() => questions(opened) === 1)
  await opened.modem.say('+CUSD: 0,"Guthaben:')
  await opened.modem.receive({ from: '+491711234567', text: 'in between' })
  await opened.until(() => opened.world.inbound.length === 1, 10_000)
  await opened.modem.say('7,20 EUR",15')
  await opened.until(() => credits(opened).length > 0, 5_000)
  expect(credits(opened)).toEqual([7.2])
})
