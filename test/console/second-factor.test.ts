import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newVisitor, totp, type Visitor } from './visitor.ts'
import { type IdentityHouse, openIdentityHouse, password, proveAddresses, whoIs } from './identity-house.ts'

let house: IdentityHouse
beforeAll(async () => {
  house = await openIdentityHouse()
})
afterAll(() => house.stop())

/** The code of the next step, which is accepted already: that of this one was used when the app was added. */
const next = (secret: string): string => totp(secret, Date.now() + 30_000)

describe('the second factor', () => {
  async function withSecondFactor(email: string) {
    const visitor = await house.signedUp(email)
    const begun = (await visitor.change('second-factor/begin', { password })).body as {
      secret: string
      qr: { size: number; path: string }
      recoveryCodes: string[]
    }
    const confirmed = await visitor.change('second-factor/confirm', { code: totp(begun.secret) })
    expect(confirmed.status).toBe(200)
    return { visitor, ...begun }
  }

  test('is asked for from the first code on, and the password alone opens nothing', async () => {
    const email = 'nia@example.org'
    const { visitor, secret, qr } = await withSecondFactor(email)
    expect(qr.size).toBeGreaterThan(20)
    expect((await visitor.read('profile/read')).body).toMatchObject({ hasSecondFactor: true })
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email, password })).body).toEqual({
      state: 'code-needed',
    })
    expect(await whoIs(later)).toMatchObject({ user: null })
    expect((await later.change('session/give-code', { code: '000000' })).status).toBe(401)
    expect((await later.change('session/give-code', { code: next(secret) })).body).toEqual({
      state: 'signed-in',
    })
    expect(await whoIs(later)).toMatchObject({ user: { email } })
    expect((await newVisitor(house.url).change('session/give-code', { code: next(secret) })).status).toBe(401)
  })

  test('makes strangers of the browsers that knew the password alone, and not of the one that adds it', async () => {
    const email = 'mia@example.org'
    const former = await house.signedUp(email)
    const visitor = newVisitor(house.url)
    await visitor.change('session/sign-in', { email, password })
    const epochIn = ({ cookies }: Visitor) => cookies.get('__Host-onesixty-browser')?.split('.')[2]
    expect(epochIn(visitor)).toBe(epochIn(former))
    const { secret } = (await visitor.change('second-factor/begin', { password })).body as { secret: string }
    const thief = newVisitor(house.url)
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
    await visitor.change('second-factor/confirm', { code: totp(secret) })
    // Its session is a new one, as after a sign-in.
    expect([await whoIs(visitor), await whoIs(thief)]).toMatchObject([{ user: { email } }, { user: null }])
    const users = house.app.storage.read
      .selectFrom('users')
      .select('browser_epoch')
      .where('email', '=', email)
    const { browser_epoch: epoch } = await users.executeTakeFirstOrThrow()
    expect([epochIn(former), epochIn(visitor)]).toEqual([String(epoch - 1), String(epoch)])
  })

  test('is replaced by each recovery code once, and removed with the password', async () => {
    const email = 'oda@example.org'
    const { visitor, recoveryCodes } = await withSecondFactor(email)
    const give = async (code: string) => {
      const later = newVisitor(house.url)
      await later.change('session/sign-in', { email, password })
      return (await later.change('session/give-code', { code })).status
    }
    const [first = '', second = ''] = recoveryCodes
    expect([await give(first), await give(first), await give(second)]).toEqual([200, 401, 200])
    const renewed = (await visitor.change('second-factor/renew-codes', { password })).body as {
      recoveryCodes: string[]
    }
    expect(await give(recoveryCodes[2] ?? '')).toBe(401)
    expect(await give(renewed.recoveryCodes[0] ?? '')).toBe(200)
    expect((await visitor.change('second-factor/remove', { password: 'another one!' })).status).toBe(422)
    expect((await visitor.change('second-factor/remove', { password })).status).toBe(200)
    const later = newVisitor(house.url)
    expect((await later.change('session/sign-in', { email, password })).body).toEqual({ state: 'signed-in' })
  })

  test('outlives a reset of the password, once the address was proven', async () => {
    const email = 'pia@example.org'
    const { visitor, secret } = await withSecondFactor(email)
    await proveAddresses(house)
    const { user } = (await whoIs(visitor)) as unknown as { user: { id: string } }
    const { token } = await house.issue({ purpose: 'reset', userId: user.id })
    const later = newVisitor(house.url)
    const wanted = { token, password: 'vier Hasen am Bahnhof' }
    expect((await later.change('link/choose-password', wanted)).body).toEqual({
      state: 'code-needed',
      passkeys: 0,
      removed: null,
    })
    expect(await whoIs(later)).toMatchObject({ user: null })
    expect((await later.change('session/give-code', { code: next(secret) })).status).toBe(200)
  })
})
