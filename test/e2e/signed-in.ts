import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { hashPassword } from '../../src/accounts/people/password-hash.ts'
import { newVisitor } from '../console/visitor.ts'
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

/** Gives a page a session of its own, by the call that the sign-in page makes; `sign-in.test.ts` proves the page. */
export async function signIn({ page }: TestPage, { url }: TestApp, email: string): Promise<void> {
  const visitor = newVisitor(url)
  expect(await visitor.change('session/sign-in', { email, password: testPassword })).toMatchObject({
    status: 200,
    body: { state: 'signed-in' },
  })
  // As over TLS: the browser keeps no `__Host-` of another address, though it sends it to loopback.
  const place = url.replace(/^http:/, 'https:')
  const kept = { url: place, httpOnly: true, secure: true, sameSite: 'Strict' } as const
  await page.context().addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, ...kept })))
}
