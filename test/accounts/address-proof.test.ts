import { afterEach, beforeEach, expect, test } from 'vitest'
import { proveAddress } from '../../src/accounts/address-proof.ts'
import { setPassword } from '../../src/accounts/passwords.ts'
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
  expect(await prove()).toBe(true)
  expect(await user.executeTakeFirst()).toEqual({ twoFactorEnabled: 0 })
  await asksForCode()
  expect(await prove()).toBe(false)
  expect(await user.executeTakeFirst()).toEqual({ twoFactorEnabled: 1 })
})
