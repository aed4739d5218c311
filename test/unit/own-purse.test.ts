import { expect, test } from 'vitest'
import type { Caller } from '../../src/accounts/keys/authenticator.ts'
import { choosePurse } from '../../src/sending/own-purse.ts'
import type { Routing } from '../../src/dispatch/devices/routing.ts'
import type { SendPorts } from '../../src/sending/send-ports.ts'

const workingRouting: Routing = {
  enabled: true,
  online: true,
  simulated: false,
  phonesOnly: false,
  maxParts: 10,
  shared: false,
  paces: null,
  pickUpSeconds: 0,
}
const no = { ...workingRouting, enabled: false, online: false, maxParts: 0 }
type Owner = Pick<Caller, 'accountId' | 'mode' | 'ownDevices'>
const owner: Owner = { accountId: 'acc_a', mode: 'live', ownDevices: 'free' }
const plain = { sender: null, encodingForced: false, parts: 1, fallback: null } as const

/** Own devices that join so many parts, know these senders, and may be forced to UCS-2; and shared ones that can do all. */
const routings = (own: { maxParts: number; senders?: readonly string[]; isForced?: boolean } | null) =>
  ({
    forAccount(_account, _mode, sender, encodingForced, which) {
      if (which !== 'own') return workingRouting
      const canSend = own !== null && (sender === null || own.senders?.includes(sender) === true)
      return canSend && (!encodingForced || own.isForced === true) ? { ...workingRouting, maxParts: own.maxParts } : no
    },
  }) satisfies SendPorts['routing'] // prettier-ignore

test('what an own device can carry costs nothing, and is not warned of', () => {
  expect(choosePurse(routings({ maxParts: 1 }), owner, plain)).toEqual({
    paidBy: 'own_device',
    routing: { ...workingRouting, maxParts: 1 },
  })
})

test('with a fallback any device may carry it, for a hold of the balance', () => {
  expect(choosePurse(routings({ maxParts: 1 }), owner, { ...plain, fallback: 'shared' })).toEqual({
    paidBy: 'balance',
    routing: workingRouting,
    fallback: 'shared',
  })
})

test.for([
  ['no_own_device', null, {}],
  ['no_own_device', null, { sender: 'Shop', encodingForced: true, parts: 3 }],
  ['no_own_device', null, { fallback: 'shared' }],
  ['sender', { maxParts: 9, senders: ['Else'] }, { sender: 'Shop' }],
  ['encoding', { maxParts: 9 }, { encodingForced: true }],
  ['encoding', { maxParts: 9, senders: ['Shop'] }, { sender: 'Shop', encodingForced: true }],
  ['too_long', { maxParts: 2 }, { parts: 3 }],
  ['too_long', { maxParts: 2 }, { parts: 3, fallback: 'shared' }],
] as const)(
  'the balance pays with a warning of %s where no own device can carry a send',
  ([reason, own, asked]) => {
    const chosen = choosePurse(routings(own), owner, { ...plain, ...asked })
    expect(chosen).toMatchObject({
      paidBy: 'balance',
      routing: workingRouting,
      paidWarning: { code: 'paid_by_balance', reason },
    })
    expect(chosen.fallback).toBe('fallback' in asked ? 'shared' : undefined)
  },
)

test.for<[string, Owner]>([
  ['is charged', { ...owner, ownDevices: 'charged' }],
  ['has a test key', { ...owner, mode: 'test' }],
])('an account that %s pays as ever: no warning, and a fallback changes nothing', ([, caller]) => {
  const chosen = choosePurse(routings(null), caller, { ...plain, fallback: 'shared' })
  expect(chosen).toEqual({ paidBy: 'balance', routing: workingRouting })
})
