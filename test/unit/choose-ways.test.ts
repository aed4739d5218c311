import { expect, test } from 'vitest'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import { viaDevice, viaName, viaSim, viaWay, type Way } from '../../src/devices/routes/way.ts'
import {
  chooseWays,
  type ChosenWay,
  drawWays,
  fallbackOf,
  routingOver,
} from '../../src/sending/choose-ways.ts'
import { noRules } from '../no-rules.ts'

/** The ways of a send, as its recipients come to them. */

const recipients = ['+4915112345678', '+33612345678'].map((to, i) => ({
  to,
  country: i === 0 ? 'DE' : 'FR',
  kind: 'mobile' as const,
  pointer: `/to/${i}`,
}))
const caller = { accountId: 'acc_a', mode: 'live' } as const
const said = { from: null, category: 'transactional', encoding: 'gsm7', parts: 1 } as const
const choice = (more: Partial<ChosenWay>): ChosenWay => ({
  rule: null,
  isRefused: false,
  stages: null,
  not: [],
  via: null,
  ...more,
})
const routing: Routing = {
  enabled: true,
  online: true,
  simulated: false,
  phonesOnly: false,
  maxParts: 10,
  shared: true,
  paces: [],
  pickUpSeconds: 0,
}

test('without rules and without a chosen device no way is named, and nothing is asked more than before', () => {
  const choices = chooseWays(noRules, caller, recipients, { ...said, via: null })
  const asked: (Way | undefined)[] = []
  const over = routingOver({ forAccount: (...all) => (asked.push(all[5]), routing) }, choices)
  expect(over.forAccount('acc_a', 'live', null, false)).toBe(routing)
  expect(asked).toEqual([undefined])
  expect(drawWays(noRules, 'acc_a', recipients, { choices, messageIds: ['msg_1', 'msg_2'] })).toEqual({
    recipients: recipients.map(({ to, country }) => ({ to, country })),
  })
})

test('a device that the sender chose is the way of every recipient, and needs no row', () => {
  const choices = chooseWays(noRules, caller, recipients, { ...said, via: 'dev_a' })
  const drawn = drawWays(noRules, 'acc_a', recipients, { choices, messageIds: ['msg_1', 'msg_2'] })
  expect(drawn.recipients.map(({ way }) => way)).toEqual(['dev_a', 'dev_a'])
  expect(drawn.ways).toBeUndefined()
})

test('a way that several recipients have is stored once', () => {
  const written = { id: 'w', text: '{}' }
  const book = { resolve: () => ({ name: 'w', way: { stages: [] }, written }) }
  const choices = [choice({ stages: [{ use: ['own'] }] }), choice({ stages: [{ use: ['own'] }] })]
  const drawn = drawWays(book, 'acc_a', recipients, { choices, messageIds: ['msg_1', 'msg_2'] })
  expect(drawn.recipients.map(({ way }) => way)).toEqual(['w', 'w'])
  expect(drawn.ways).toEqual([written])
})

test('a chosen SIM of a phone is part of the name, of which the device is the way', () => {
  const name = viaName('dev_a', 2)
  expect([viaDevice(name), viaSim(name), viaWay(name)]).toEqual(['dev_a', 2, viaWay('dev_a')])
  expect([viaSim(viaName('dev_a')), viaSim(undefined), viaSim('elsewhere0')]).toEqual([null, null, null])
})

test('a send over several ways can do what each of them can', () => {
  const choices = [choice({ stages: [{ use: ['own'] }] }), choice({ stages: [{ use: ['shared'] }] })]
  const able: Record<string, Partial<Routing>> = {
    own: { maxParts: 3, shared: false, pickUpSeconds: 60, phonesOnly: true },
    shared: { online: false },
  }
  const over = routingOver(
    { forAccount: (...all) => ({ ...routing, ...able[all[5]?.stages[0]?.use[0] as string] }) },
    choices,
  )
  expect(over.forAccount('acc_a', 'live', null, false)).toEqual({
    enabled: true,
    online: false,
    simulated: false,
    phonesOnly: false,
    maxParts: 3,
    shared: true,
    paces: null,
    pickUpSeconds: 60,
  })
})

test('a rule of the account that names shared devices is a fallback to them, one of the operator is none', () => {
  const of = (accountId: string | null) => [choice({ rule: { id: 'rul_1', name: 'R', accountId } })]
  expect(fallbackOf(of('acc_a'), () => true)).toBe('shared')
  expect(fallbackOf(of('acc_a'), () => false)).toBeNull()
  expect(fallbackOf(of(null), () => true)).toBeNull()
  expect(fallbackOf([choice({})], () => true)).toBeNull()
})
