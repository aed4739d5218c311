import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { setDevice, retireDevice } from '../../src/devices/core/device-store.ts'
import { PhoneIdentities } from '../../src/devices/phones/phone-identities.ts'
import { findPhone, type KnownPhone } from '../../src/devices/phones/known-phone.ts'
import {
  goneMs,
  registerPhone,
  type SaidOfPhone,
  updatePhone,
} from '../../src/devices/phones/registered-phones.ts'
import { invalidInput } from '../../src/runtime/invalid-input.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import type { InstanceSecret } from '../../src/runtime/derived-keys.ts'
import { Phone } from '../../src/connectors/android/phone.ts'
import { createPhones } from '../../src/app/phones.ts'
import { SharedCounts } from '../../src/runtime/shared-counts.ts'
import { takeOverPhone } from '../../src/devices/phones/same-phone.ts'
import { a12, openRegistrationHouse, type RegistrationHouse, secretBox } from './registration-house.ts'

let house: RegistrationHouse
beforeEach(async () => {
  house = await openRegistrationHouse()
})
afterEach(() => house.close())

const portsWithoutWriter = (more: object = {}) => {
  const write = vi.fn<() => Promise<null>>(async () => null)
  const secret = { current: 's'.repeat(32), former: [] }
  const { read } = house.storage
  const parts = {
    ...house,
    read,
    writer: { write },
    secretBox,
    epoch: {},
    config: {},
    secret,
    counts: new SharedCounts(),
    ...more,
  }
  const identities = new PhoneIdentities({ ...parts, read: parts.storage.priorityRead })
  return {
    write,
    ports: createPhones(parts as never, { pool: {}, identities, inboundReceiver: {} } as never),
  }
}

describe('registrations', () => {
  test('check 1: who shows a private token has a device of its account, at a pace that carriers bear; who shows none has nothing', async () => {
    const { token } = await house.mint()
    expect(await house.register('wrong')).toBeNull()
    const made = (await house.register(token))!
    const device = await house.storage.read.selectFrom('devices').selectAll().executeTakeFirstOrThrow()
    expect(device).toMatchObject({
      id: made.deviceId, account_id: house.accountId, kind: 'android', mode: 'live', name: 'samsung a12', state: 'enabled', parts_per_window: 30,
      window_seconds: 1_800,
    }) // prettier-ignore
    expect(await house.find(made.deviceToken)).toMatchObject({
      phoneId: made.phoneId,
      accountName: 'Ada',
      appVersion: '1.68.0',
    })
    expect(await house.find(`${made.deviceToken}x`)).toBeNull()
  })

  test('an owner has so many phones and no more: then one is removed first, and what is installed anew is none more', async () => {
    const { token } = await house.mint()
    const { token: shared } = await house.mint(null)
    const phone = (n: number): Partial<SaidOfPhone> => ({ sims: [{ slot: 1, number: null, carrier: null, iccid: `****${n}` }] })
    const few = (typed: string, n: number) =>
      house.storage.writer.write((tx) => registerPhone(tx, { ...house.phoneDeps(), maxPhones: 2 }, typed, { ...a12, ...phone(n) }))
    const first = await few(token, 1)
    await few(token, 2)
    await few(shared, 4)
    await expect(few(token, 3)).rejects.toThrow('Maximum of 2 phones reached (ONESIXTY_PHONES_PER_ACCOUNT). Remove one first.')
    house.clock.jumpWallClock(goneMs)
    expect(await few(token, 2)).not.toBeNull()
    await house.storage.writer.write((tx) => retireDevice(tx, house.phoneDeps(), { deviceId: first?.deviceId ?? '', actor: 'test' }))
    expect(await few(token, 3)).not.toBeNull()
  }) // prettier-ignore

  test('a private token brings so many registrations an hour, another one as many', async () => {
    const config = { registrationsPerHour: 2 }
    const { ports, write } = portsWithoutWriter({ config })
    const [{ token }, { token: other }] = [await house.mint(), await house.mint()]
    for (let n = 0; n < 2; n++) await ports.register(token, a12)
    await expect(ports.register(token, a12)).rejects.toMatchObject({ code: 'rate_limited' })
    await ports.register(other, a12)
    expect(write).toHaveBeenCalledTimes(3)
    await house.clock.advance(3_600_000)
    await ports.register(token, a12)
    expect(write).toHaveBeenCalledTimes(4)
  })

  test('whoever shows a wrong private token costs no write', async () => {
    const { ports, write } = portsWithoutWriter()
    expect(await ports.register('abcd-efgh', a12)).toBeNull()
    expect(write).not.toHaveBeenCalled()
  })

  test('that a phone may not register is in the log, since its app tells nobody', async () => {
    const warn = vi.fn<(fields: object, message: string) => void>()
    const refusal = invalidInput([{ code: 'too_many_items', detail: 'There are 2 phones already.' }])
    const writer = { write: () => Promise.reject(refusal) }
    const { ports } = portsWithoutWriter({ writer, log: { warn } })
    await expect(ports.register((await house.mint()).token, a12)).rejects.toBe(refusal)
    expect(warn.mock.calls).toEqual([[{ account_id: house.accountId, why: 'There are 2 phones already.' }, 'a phone registration was rejected']])
  }) // prettier-ignore

  test('an app that says at its start what it has said before costs no write', async () => {
    const { ports, write } = portsWithoutWriter()
    const { deviceToken } = (await house.register((await house.mint()).token)) ?? {}
    const registration = (await house.find(deviceToken ?? '')) as KnownPhone
    await ports.update(registration, { ...a12, name: null })
    await ports.update(registration, { ...a12, name: null, sims: null, appVersion: null })
    expect(write).not.toHaveBeenCalled()
    for (const changed of [{ usesPush: true }, { sims: [] }, { appVersion: '1.69.0' }])
      await ports.update(registration, { ...a12, name: null, ...changed })
    expect(write).toHaveBeenCalledTimes(3)
  })

  test('whose registration was answered in vain is the same device when it tries again, and another one once its token was shown', async () => {
    const { storage, clock, ids } = house
    const { token } = await house.mint()
    const parts = {
      storage, read: storage.read, writer: storage.writer, clock, ids, secretBox, epoch: {}, config: { phonesPerAccount: 10 },
      secret: { current: 's'.repeat(32), former: [] }, counts: new SharedCounts(),
    } // prettier-ignore
    const present = Object.create(Phone.prototype, { isStreaming: { value: true } }) as Phone
    const pool = { get: () => ({ link: present }), reloadIfChanged: async () => undefined }
    const identities = new PhoneIdentities({ ...parts, read: storage.priorityRead })
    const ports = createPhones(parts as never, { pool, identities, inboundReceiver: {} } as never)
    const said = { ...a12, usesPush: true }
    const ask = async () => (await ports.register(token, said))!
    const lost = await ask()
    clock.jumpWallClock(goneMs - 1)
    const found = await ask()
    expect(found.registration?.deviceId).toBe(lost.registration?.deviceId)
    expect(await ports.identify(lost.deviceToken)).toBeNull()
    expect(await ports.identify(found.deviceToken)).not.toBeNull()
    expect((await ask()).registration?.deviceId).not.toBe(found.registration?.deviceId)
  }) // prettier-ignore

  test('neither the token of a device, nor its hook secret, nor its signing key is stored in clear', async () => {
    const made = (await house.register((await house.mint()).token))!
    const known = (await house.find(made.deviceToken))!
    const stored = await house.everything()
    for (const secret of [made.deviceToken, known.hookSecret, known.signingKey]) {
      expect(secret.length).toBeGreaterThanOrEqual(32)
      expect(stored).not.toContain(secret)
    }
    expect(await findPhone(house.storage.read, house.phoneDeps(), { hookSecret: known.hookSecret })).toEqual(
      known,
    )
  })

  test('a phone is known with what was set of its SIMs', async () => {
    const made = (await house.register((await house.mint()).token))!
    const set = async (settings: object) => {
      await house.storage.writer.write((tx) =>
        tx
          .updateTable('devices')
          .set({ settings: JSON.stringify(settings) })
          .execute(),
      )
      return house.find(made.deviceToken)
    }
    expect(await set({})).toMatchObject({ simNumbers: [null, null, null], country: null })
    expect(await set({ sim_2_number: '+4915100000002', country: 'DE' })).toMatchObject({ simNumbers: [null, '+4915100000002', null], country: 'DE' }) // prettier-ignore
  })

  test('addresses that a phone was given before the secret of the instance changed, and after, are good', async () => {
    const former = 'the former secret of the instance'
    const of = (secret: InstanceSecret) =>
      portsWithoutWriter({ secret, secretBox: createDeviceSecretBox(secret) }).ports
    const box = createDeviceSecretBox({ current: former, former: [] })
    const { token } = await house.mint()
    const made = await house.storage.writer.write((tx) => registerPhone(tx, { ...house.phoneDeps(), secretBox: box }, token, a12))
    const deviceToken = made?.deviceToken ?? ''
    const before = await of({ current: former, former: [] }).identify(deviceToken)
    const ports = of({ current: 'the secret of the instance from now on', former: ['one in between, as long as it must be', former] })
    const after = await ports.identify(deviceToken)
    for (const known of [before, after])
      expect(await ports.identifyHook(known?.hookSecret ?? '')).toMatchObject({ phoneId: made?.phoneId })
  }) // prettier-ignore

  test('a phone without the numbers of its SIMs is the former device again once that is said, and holds nothing else', async () => {
    const { token } = await house.mint()
    // From Android 10 on SubscriptionInfo.getIccId() is empty for the app.
    const said = { sims: [{ slot: 1, number: null, carrier: null, iccid: null }] }
    const first = (await house.register(token, said))!
    const second = (await house.register(token, said))!
    const other = (await house.register((await house.mint(null)).token, said))!
    const takeOver = (deviceId: string, newId: string) =>
      house.storage.writer.write((tx) =>
        takeOverPhone(tx, house.phoneDeps(), { deviceId, newId, actor: 'test' }),
      )
    await expect(takeOver(first.deviceId, first.deviceId)).rejects.toThrow('different devices')
    await expect(takeOver(first.deviceId, other.deviceId)).rejects.toThrow('same owner and mode')
    await takeOver(first.deviceId, second.deviceId)
    expect(await house.find(second.deviceToken)).toMatchObject({
      deviceId: first.deviceId,
      phoneId: second.phoneId,
    })
    expect(await house.find(first.deviceToken)).toBeNull()
    const { read } = house.storage
    const states = await read
      .selectFrom('devices')
      .select(['id', 'state'])
      .where('account_id', 'is not', null)
      .orderBy('id')
      .execute()
    expect(states).toEqual([
      { id: first.deviceId, state: 'enabled' },
      { id: second.deviceId, state: 'retired' },
    ])
    expect(await house.audited()).toContain('phone.taken_over')
    await expect(takeOver(first.deviceId, second.deviceId), 'said twice').rejects.toThrow('not found')
  })

  test('the same phone installed anew keeps its device, and whatever its former app shows is nobody’s', async () => {
    const { token } = await house.mint()
    const former = (await house.register(token))!
    const before = (await house.find(former.deviceToken))!
    house.clock.jumpWallClock(61_000)
    const anew = (await house.register(token))!
    expect(anew.deviceId).toBe(former.deviceId)
    expect(await house.find(former.deviceToken)).toBeNull()
    expect(
      await findPhone(house.storage.read, house.phoneDeps(), { hookSecret: before.hookSecret }),
    ).toBeNull()
    const after = (await house.find(anew.deviceToken))!
    expect([after.hookSecret, after.signingKey]).not.toEqual([before.hookSecret, before.signingKey])
  })

  test.each<[string, Partial<SaidOfPhone>]>([
    ['another model', { name: 'samsung/a13' }],
    ['another SIM', { sims: [{ slot: 1, number: null, carrier: null, iccid: '***************0002' }] }],
    ['no SIM', { sims: [] }],
    ['a SIM without a number of its own', { sims: [{ slot: 1, number: null, carrier: null, iccid: null }] }],
  ])('a phone with %s is another device', async (_, said) => {
    const { token } = await house.mint()
    const first = (await house.register(token, said.sims === undefined || said.sims?.[0]?.iccid ? {} : said))!
    house.clock.jumpWallClock(61_000)
    expect((await house.register(token, said))!.deviceId).not.toBe(first.deviceId)
  })

  test('so is one that shows another token, or that registers while the other is there', async () => {
    const { token } = await house.mint()
    const first = (await house.register(token))!
    house.clock.jumpWallClock(61_000)
    expect((await house.register((await house.mint()).token))!.deviceId).not.toBe(first.deviceId)
    house.connected.add(first.deviceId)
    expect((await house.register(token))!.deviceId).not.toBe(first.deviceId)
  })

  test('check 27: a phone whose device was removed is nobody’s; one whose device is disabled is still known', async () => {
    const made = (await house.register((await house.mint()).token))!
    const { writer } = house.storage
    await writer.write((tx) =>
      setDevice(tx, house.phoneDeps(), { deviceId: made.deviceId, state: 'disabled', actor: 'test' }),
    )
    expect(await house.find(made.deviceToken)).toMatchObject({ deviceId: made.deviceId })
    await writer.write((tx) =>
      retireDevice(tx, house.phoneDeps(), { deviceId: made.deviceId, actor: 'test' }),
    )
    expect(await house.find(made.deviceToken)).toBeNull()
  })

  test('check 4: what an app says at its start is taken over; without a push token it has none any more', async () => {
    const made = (await house.register((await house.mint()).token, { usesPush: true }))!
    expect(await house.find(made.deviceToken)).toMatchObject({ usesPush: true })
    const said = { name: null, sims: null, usesPush: false, appVersion: '1.69.0' }
    await house.storage.writer.write((tx) => updatePhone(tx, house.clock.now(), made.phoneId, said))
    expect(await house.find(made.deviceToken)).toMatchObject({
      usesPush: false,
      appVersion: '1.69.0',
      sims: a12.sims,
    })
  })

  test('a phone whose key was sealed under a secret that is given up is nobody, so that its app registers anew', async () => {
    const { token } = await house.mint()
    const made = (await house.register(token))!
    const { hookSecret } = (await house.find(made.deviceToken))!
    const lost = createDeviceSecretBox({ current: 'a secret of the instance that is lost', former: [] })
    const signing_key = lost.seal('key', made.phoneId)
    await house.storage.writer.write((tx) => tx.updateTable('phones').set({ signing_key }).execute())
    expect(await house.find(made.deviceToken)).toBeNull()
    expect(await findPhone(house.storage.read, house.phoneDeps(), { hookSecret })).toBeNull()
    house.clock.jumpWallClock(goneMs)
    const anew = (await house.register(token))!
    expect(anew.deviceId).toBe(made.deviceId)
    expect(await house.find(anew.deviceToken)).toMatchObject({ deviceId: made.deviceId })
  })
})
