import { expect, test } from 'vitest'
import { expectHonestHealth } from '../contracts/honest.ts'
import { createStubbedPhone, registrationOf } from './phone-fixture.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

test('check 25: a phone that only polls is online for 35 min, degraded for 2 h, then offline', async () => {
  const { phone, clock, contact } = createStubbedPhone()
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
  await clock.advance(35 * minute - 1)
  expect(phone.health()).toMatchObject({ status: 'online' })
  await clock.advance(1)
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['contact_late'], link: 'poll' })
  await clock.advance(85 * minute)
  expect(phone.health()).toMatchObject({ status: 'offline', reasons: ['no_contact'], link: 'none' })
  expectHonestHealth(phone.health())
})

test('a phone on Google push is degraded, and says so', () => {
  const { phone, contact } = createStubbedPhone({}, registrationOf({ usesPush: true }))
  contact()
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' })
  expectHonestHealth(phone.health())
})

test('what will keep a phone from sending makes it degraded', () => {
  const { phone, openStream } = createStubbedPhone({}, registrationOf({ sims: [], appVersion: '1.53.0' }))
  openStream()
  phone.pinged({ battery: { percent: 14, charging: false }, network: null, fails: false })
  phone.recordClock('hook', phone.health().lastSeenAt! - 2 * minute)
  expect(phone.health()).toMatchObject({
    status: 'degraded',
    reasons: ['no_sim', 'battery_low', 'clock_skew', 'app_outdated'],
  })
  expectHonestHealth(phone.health())
  phone.pinged({ battery: { percent: 14, charging: true }, network: null, fails: false })
  expect(phone.health().reasons).not.toContain('battery_low')
})

test('the app is outdated before 1.53.1, and a version that nobody said is none', () => {
  for (const [appVersion, reasons] of [
    ['1.53', ['app_outdated']],
    ['1.53.1', []],
    ['1.54', []],
    [null, []],
  ] as const) {
    const { phone, openStream } = createStubbedPhone({}, registrationOf({ appVersion }))
    openStream()
    expect(phone.health().reasons, String(appVersion)).toEqual(reasons)
  }
})

test('five failures in a row, or an hour of nothing else, are repeated failures', () => {
  const { phone, openStream } = createStubbedPhone()
  openStream()
  const failed = { attemptId: 'att_1', state: 'failed', error: null } as const
  for (let n = 0; n < 4; n++) phone.reported([failed])
  expect(phone.health().status).toBe('online')
  phone.reported([failed])
  expect(phone.health().reasons).toEqual(['repeated_failures'])
  phone.reported([{ ...failed, state: 'sent' }])
  expect(phone.health().reasons).toEqual([])
  phone.pinged({ battery: null, network: null, fails: true })
  expect(phone.health().reasons).toEqual(['repeated_failures'])
})

test('what recipients or texts are to blame for is no failure of the phone', () => {
  const { phone, openStream } = createStubbedPhone()
  openStream()
  const failed = (error: string | null) => phone.reported([{ state: 'failed', error }])
  for (let n = 0; n < 4; n++) failed('Send result: RESULT_ERROR_NO_SERVICE (No service)')
  for (const error of ['TTL expired', 'Send result: RESULT_ERROR_SHORT_CODE_NOT_ALLOWED']) failed(error)
  expect(phone.health().status).toBe('online')
  failed('Send result: RESULT_NETWORK_REJECT')
  expect(phone.health().reasons).toEqual(['repeated_failures'])
  // Only what was sent can be undelivered.
  failed('Delivery result from SC +491710760000: 65')
  expect(phone.health().reasons).toEqual([])
})

const withSims = (...slots: number[]) =>
  registrationOf({ sims: slots.map((slot) => ({ slot, number: '****1234', carrier: '*elco', iccid: null })) })

test('numbers of SIMs are shown as the operator named them or as the app said them in full, never masked', () => {
  const unnamed = createStubbedPhone()
  unnamed.openStream()
  expect(unnamed.phone.health().sims).toEqual([{ slot: 1, number: null, carrier: null }])
  const { phone, openStream } = createStubbedPhone({ sim_1_number: '+4915550001234' }, withSims(1, 2))
  openStream()
  expect(phone.health().sims).toEqual([
    { slot: 1, number: '+4915550001234', carrier: null },
    { slot: 2, number: null, carrier: null },
  ])
  phone.sawSims([
    { slot: 1, number: '+4915550009999', carrier: 'Telco' },
    { slot: 2, number: '+4915550002222', carrier: null },
  ])
  expect(phone.health().sims).toEqual([
    { slot: 1, number: '+4915550001234', carrier: 'Telco' },
    { slot: 2, number: '+4915550002222', carrier: null },
  ])
})

test('a number that a SIM tells makes it a sender, in whatever form its network has written it, until another is set or it is gone', () => {
  const { phone, contact } = createStubbedPhone({ country: 'DE' }, withSims(1, 2))
  contact()
  expect([...phone.sims.simOf]).toEqual([])
  const numbers = ['015112345671', '004915112345672']
  phone.sawSims(numbers.map((number, i) => ({ slot: i + 1, number, carrier: null })))
  expect([...phone.sims.simOf]).toEqual([
    ['+4915112345671', 1],
    ['+4915112345672', 2],
  ])
  phone.applySettings({ country: 'DE', sim_2_number: '+4915112345679' })
  expect([...phone.sims.simOf]).toEqual([
    ['+4915112345671', 1],
    ['+4915112345679', 2],
  ])
  phone.applySettings({})
  expect([...phone.sims.simOf], 'of no country').toEqual([['+4915112345672', 2]])
  phone.contact(withSims(1), null)
  expect([...phone.sims.simOf], 'taken out').toEqual([])
})

test('what was set and is known from before a restart is no number of the SIM once it is taken away', () => {
  const { phone } = createStubbedPhone({ sim_1_number: '+4915112345671' })
  const sims = [{ slot: 1, number: '+4915112345671', carrier: null }, { slot: 2, number: '+4915112345672', carrier: null }] // prettier-ignore
  phone.remember({ status: 'online', link: 'stream', lastSeenAt: 1, appVersion: null, battery: null, network: null, sims } as never) // prettier-ignore
  phone.applySettings({})
  expect([...phone.sims.simOf]).toEqual([['+4915112345672', 2]])
})

test('a SIM that was taken out sends no more, and one that was put in does, as soon as the app registers anew', () => {
  const { phone } = createStubbedPhone({ sim_selection: 'rotate' })
  const simsOf = () => [
    phone.sims.turns,
    phone.health().sims?.map(({ slot, carrier }) => `${slot} ${carrier}`),
  ]
  const seen = (slot: number) => ({ slot, number: null, carrier: `Telco ${slot}` })
  // As after a restart, before the app is heard; an old app names no SIM at all.
  phone.sawSims([seen(1), seen(2)])
  phone.contact(registrationOf({ sims: null }), null)
  expect(simsOf()).toEqual([
    [1, 2],
    ['1 Telco 1', '2 Telco 2'],
  ])
  phone.contact(withSims(2), null)
  expect(simsOf()).toEqual([[2], ['2 Telco 2']])
  phone.contact(withSims(2, 3), null)
  expect(simsOf()).toEqual([
    [2, 3],
    ['2 Telco 2', '3 null'],
  ])
  phone.contact(withSims(), null)
  expect(simsOf()).toEqual([[], []])
  expect(phone.health().reasons).toContain('no_sim')
})

test('after a restart a phone is what it was until its silence is too long', async () => {
  const { phone, clock } = createStubbedPhone()
  const battery = { percent: 80, charging: true, at: clock.now() - hour }
  phone.remember({
    link: 'poll',
    lastSeenAt: clock.now() - 30 * minute,
    appVersion: '1.67.0',
    battery,
    network: null,
    sims: [],
  })
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll', battery, appVersion: '1.67.0' })
  await clock.advance(5 * minute)
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['contact_late'] })
})

test('after a restart a phone whose stream does not come back is offline, as soon as the app would have asked for it', async () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'stream', lastSeenAt: clock.now() - minute, ...known })
  await clock.advance(90 * second - 1)
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
  await clock.advance(1)
  expect(phone.health()).toMatchObject({ status: 'offline', reasons: ['stream_lost'] })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
})

test('a restart brings back no phone that was offline', () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'none', lastSeenAt: clock.now() - minute, ...known })
  expect(phone.health()).toMatchObject({ status: 'offline' })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online' })
})

test('after a restart a phone on Google push is still one, until it says otherwise', () => {
  const { phone, clock, contact } = createStubbedPhone()
  const known = { appVersion: '1.68.0', battery: null, network: null, sims: [] }
  phone.remember({ link: 'push', lastSeenAt: clock.now() - minute, ...known })
  expect(phone.health()).toMatchObject({ status: 'degraded', reasons: ['push_only'], link: 'push' })
  contact()
  expect(phone.health()).toMatchObject({ status: 'online', link: 'poll' })
})

const hourMs = 3_600_000

test('a phone of which no signed hook arrives for two hours says so, until one does', async () => {
  const { phone, clock, contact } = createStubbedPhone()
  contact()
  const after = async (ms: number): Promise<readonly string[]> => {
    await clock.advance(ms)
    contact()
    return phone.health().reasons
  }
  expect(await after(2 * hourMs - 1)).toEqual([])
  expect(await after(1)).toEqual(['hooks_silent'])
  phone.hooks.arrived()
  expect(await after(5 * hourMs)).toEqual([])
})

test('silence of hooks means nothing without pings, and nothing after a restart of the server if they came before it', async () => {
  const silent = createStubbedPhone({ ping_interval_s: '0' })
  const known = createStubbedPhone()
  const { clock } = known
  known.phone.remember({ ...known.phone.health(), lastSeenAt: clock.now(), battery: { percent: 50, charging: false, at: 0 } }) // prettier-ignore
  for (const each of [silent, known]) {
    each.contact()
    await each.clock.advance(3 * hourMs)
    each.contact()
    expect(each.phone.health().reasons).toEqual([])
  }
})

test('a phone that comes by another host than its hooks says so at once, or after a restart only once a ping is missing', async () => {
  const fresh = createStubbedPhone()
  const known = createStubbedPhone()
  known.phone.remember({ ...known.phone.health(), lastSeenAt: known.clock.now(), battery: { percent: 50, charging: false, at: 0 } }) // prettier-ignore
  const reasons = ({ phone }: typeof fresh): readonly string[] => {
    phone.contact(registrationOf({ hookAddress: 'other' } as object), null)
    return phone.health().reasons
  }
  expect(reasons(fresh)).toEqual(['hook_address_differs'])
  expect(reasons(known)).toEqual([])
  await known.clock.advance(660_000)
  expect(reasons(known)).toEqual(['hook_address_differs'])
  known.phone.hooks.arrived()
  expect(reasons(known)).toEqual([])
})

test('the last contact by the address of phones is kept over a restart, and one by another address is none', () => {
  const { phone, clock } = createStubbedPhone()
  const address = 'https://sms.example.org'
  const contact = (how: 'same' | 'unclear' | 'other'): unknown => {
    phone.contact({ ...registrationOf(), called: { address, how } }, null)
    return phone.health().contact
  }
  const seen = { atMs: clock.now(), address }
  expect(contact('other')).toBeUndefined()
  expect(contact('unclear')).toEqual({ ...seen, isCertain: false })
  expect(contact('same')).toEqual({ ...seen, isCertain: true })
  clock.jumpWallClock(1_000)
  expect(contact('other')).toEqual({ ...seen, isCertain: true })
  const { phone: next } = createStubbedPhone()
  next.remember(phone.health())
  expect(next.health().contact).toEqual({ ...seen, isCertain: true })
})

test('a signed hook by a host that a proxy has changed is contact by the address that it was given', () => {
  const { phone, clock } = createStubbedPhone()
  const called = { address: 'https://sms.example.org', how: 'other' } as const
  phone.contact({ ...registrationOf(), called }, null)
  expect(phone.health().contact).toBeUndefined()
  phone.hooks.arrived()
  expect(phone.health().contact).toEqual({ atMs: clock.now(), address: called.address, isCertain: false })
})
