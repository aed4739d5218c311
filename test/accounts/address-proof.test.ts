import { afterEach, beforeEach, expect, test } from 'vitest'
import { proveAddress } from '../../src/accounts/people/address-proof.ts'
import { setPassword } from '../../src/accounts/people/passwords.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let userId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ userId } = await fixture.addAccount())
  await choosePassword()
})
afterEach(() => fixture.close())

const choosePassword = () =>
  fixture.storage.writer.write((tx) =>
    setPassword(tx, { nowMs: fixture.clock.now() }, { userId, passwordHash: 'not-a-hash' }),
  )

const prove = () =>
  fixture.storage.writer.write((tx) => proveAddress(tx, fixture.deps(), { userId, actor: userId }))

test('the first proof ends the question for a code of which no factor is left, and the next one leaves it', async () => {
  const { writer, read } = fixture.storage
  const asksForCode = () => writer.write((tx) => tx.updateTable('auth_users').set({ twoFactorEnabled: 1 }).where('id', '=', userId).execute()) // prettier-ignore
  const user = read.selectFrom('auth_users').select('twoFactorEnabled').where('id', '=', userId)
  await asksForCode()
  expect(await prove()).toEqual({ secondFactor: false, passkeys: 0 })
  expect(await user.executeTakeFirst()).toEqual({ twoFactorEnabled: 0 })
  await asksForCode()
  expect(await prove()).toBeNull()
  expect(await user.executeTakeFirst()).toEqual({ twoFactorEnabled: 1 })
})

test.for<[string, () => Promise<unknown>]>([
  ['a new password', choosePassword],
  ['the first proof of the address', prove],
])('%s ends the sign-ins of this user that wait for a code, and no others', async ([, end]) => {
  const { writer, read } = fixture.storage
  const at = new Date(fixture.clock.now()).toISOString()
  const row = (identifier: string, value: string) => ({ id: `row ${identifier}`, identifier, value, createdAt: at, updatedAt: at, expiresAt: at }) // prettier-ignore
  const own = [row('2fa-a', userId), row('2fa-attempts-2fa-a', '2'), row('2fa-b', userId)]
  const others = [row('2fa-c', 'usr_other'), row('2fa-attempts-2fa-c', '0')]
  await writer.write((tx) =>
    tx
      .insertInto('auth_verifications')
      .values([...own, ...others])
      .execute(),
  )
  await end()
  const left = await read.selectFrom('auth_verifications').select('id').orderBy('id').execute()
  expect(left.map(({ id }) => id)).toEqual(others.map(({ id }) => id).toSorted())
})
