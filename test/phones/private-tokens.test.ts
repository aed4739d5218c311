import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRegistrationHouse, type RegistrationHouse } from './registration-house.ts'

let house: RegistrationHouse
beforeEach(async () => {
  house = await openRegistrationHouse()
})
afterEach(() => house.close())

describe('private tokens', () => {
  test('one is known however a person types it, and stored nowhere', async () => {
    const { token, tokenId } = await house.mint()
    expect(token).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{4}$/)
    const expected = { tokenId, accountId: house.accountId, mode: 'live' }
    expect(await house.ownerOf(token)).toEqual(expected)
    const asRead = token.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')
    expect(await house.ownerOf(` ${asRead} `)).toEqual(expected)
    expect(await house.everything()).not.toContain(token)
    expect(await house.everything()).not.toContain(token.replaceAll('-', ''))
  })

  test('several live side by side; all of an owner are revoked at once, and no one else’s', async () => {
    const [first, second, shared] = [await house.mint(), await house.mint(), await house.mint(null)]
    const phone = (await house.register(first.token))!
    expect(await house.revoke()).toBe(2)
    expect(await house.find(phone.deviceToken)).toMatchObject({ deviceId: phone.deviceId })
    expect([await house.ownerOf(first.token), await house.ownerOf(second.token)]).toEqual([null, null])
    expect(await house.ownerOf(shared.token)).toMatchObject({ accountId: null })
    expect(await house.revoke()).toBe(0)
    expect(await house.audited()).toEqual(
      expect.arrayContaining(['phone_token.created', 'phone_token.revoked']),
    )
  })

  test('an account has at most 100 live ones', async () => {
    for (let i = 0; i < 100; i++) await house.mint()
    await expect(house.mint()).rejects.toThrow('Maximum of 100 private tokens reached')
    await house.revoke()
    await expect(house.mint()).resolves.toMatchObject({ token: expect.any(String) })
  })

  test('an account that is unknown or closed gets none, and those that it had are nobody’s', async () => {
    const { token } = await house.mint()
    await expect(house.mint('acc_nobody')).rejects.toThrow('Unknown account acc_nobody')
    await house.storage.writer.write((tx) => tx.updateTable('accounts').set({ state: 'closed' }).execute())
    await expect(house.mint()).rejects.toThrow('closed')
    expect(await house.ownerOf(token)).toBeNull()
    expect(await house.register(token)).toBeNull()
  })
})
