import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import type { TestApp } from '../harness.ts'
import type { TestPage } from './browser.ts'

/** A password that every rule allows. */
export const testPassword = 'sieben Igel unterm Dach'

/** Gives a user a password, as opening a set-up link does. */
export async function givePassword({ app }: TestApp, userId: string): Promise<{ email: string }> {
  const hash = await hashPassword({ randomBytes }, testPassword)
  return app.storage.writer.write(async (tx) => {
    const user = await tx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
    const at = new Date(user.created_at).toISOString()
    const times = { createdAt: at, updatedAt: at }
    await tx
      .insertInto('auth_users')
      .values({ id: userId, name: user.name, email: user.email, emailVerified: 1, ...times })
      .execute()
    await tx
      .insertInto('auth_credentials')
      .values({ id: userId, accountId: userId, providerId: 'credential', userId, password: hash, ...times })
      .execute()
    return { email: user.email }
  })
}

/** Lets a user run the instance. */
export async function makeOperator({ app }: TestApp, userId: string): Promise<void> {
  await app.storage.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute(),
  )
}

/** Signs in by the page, as a person does. */
export async function signIn({ page }: Pick<TestPage, 'page'>, app: TestApp, email: string): Promise<void> {
  await page.goto(`${app.url}/sign-in`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/a\//)
}
