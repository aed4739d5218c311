import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retireDevice } from '../../src/devices/core/device-store.ts'
import { PhoneIdentities } from '../../src/devices/phones/phone-identities.ts'
import type { SecretBox } from '../../src/runtime/secret-box.ts'
import { openRegistrationHouse, type RegistrationHouse } from './registration-house.ts'

let house: RegistrationHouse
beforeEach(async () => {
  house = await openRegistrationHouse()
})
afterEach(() => house.close())

test('whom a token names is remembered for a moment, never longer than 5 s', async () => {
  const made = (await house.register((await house.mint()).token))!
  const identities = new PhoneIdentities({
    ...house.phoneDeps(),
    read: house.storage.read,
    clock: house.clock,
  })
  expect(await identities.find(made)).not.toBeNull()
  await house.storage.writer.write((tx) =>
    retireDevice(tx, house.phoneDeps(), { deviceId: made.deviceId, actor: 'test' }),
  )
  expect(await identities.find(made)).not.toBeNull()
  await house.clock.advance(5_000)
  expect(await identities.find(made)).toBeNull()
})

test('a look-up that was under way when the device was removed is not remembered', async () => {
  const made = (await house.register((await house.mint()).token))!
  const found = Promise.withResolvers<void>()
  const removed = Promise.withResolvers<void>()
  const read = house.storage.read.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      found.resolve()
      await removed.promise
      return result
    },
  })
  const identities = new PhoneIdentities({ ...house.phoneDeps(), read, clock: house.clock })
  const early = identities.find(made)
  await found.promise
  await house.storage.writer.write((tx) =>
    retireDevice(tx, house.phoneDeps(), { deviceId: made.deviceId, actor: 'test' }),
  )
  identities.forget()
  removed.resolve()
  expect(await early).not.toBeNull()
  expect(await identities.find(made)).toBeNull()
})

test('a phone that asks every few seconds has its key opened once, and another registration its own', async () => {
  const { token } = await house.mint()
  const made = (await house.register(token))!
  const { secretBox, ...deps } = house.phoneDeps()
  const open = vi.fn<SecretBox['open']>(secretBox.open)
  const box = { ...secretBox, open }
  const identities = new PhoneIdentities({
    ...deps,
    secretBox: box,
    read: house.storage.read,
    clock: house.clock,
  })
  const first = await identities.find(made)
  for (let n = 0; n < 3; n++) {
    await house.clock.advance(5_000)
    expect(await identities.find(made)).toEqual(first)
  }
  expect(open).toHaveBeenCalledTimes(1)
  const { deviceId } = made
  expect(await identities.find({ deviceId })).toEqual(first)
  await house.clock.advance(60_000)
  await house.register(token)
  const second = await identities.find({ deviceId })
  expect(second?.signingKey).not.toBe(first?.signingKey)
  expect(second?.hookSecret).not.toBe(first?.hookSecret)
})
