import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { testPassword } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

test('a person signs in with e-mail and password, sees the account, and signs out', async () => {
  const tab = await ada.browser.newPage()
  const { page } = tab
  await page.goto(ada.url)
  await page.waitForURL(/\/sign-in$/)
  await page.getByRole('heading', { name: 'Sign in to onesixty' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('sign-in')
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/a\//)
  await page.getByText('Ada', { exact: true }).first().waitFor()
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name }) => name)).toContain('__Host-onesixty-session')
  const kept = { name: expect.stringMatching(/^__Host-/), httpOnly: true, secure: true, sameSite: 'Strict' }
  expect(cookies).toEqual(cookies.map(() => expect.objectContaining(kept)))
  await page.getByRole('button', { name: 'accounts and sign-out' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in$/)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('a wrong password is refused in words', async () => {
  const tab = await ada.browser.newPage({ width: 390, colorScheme: 'dark' })
  const { page } = tab
  await tab.open(`${ada.url}/sign-in`)
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel(/^Password/).fill(`${testPassword}!`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Wrong e-mail address or password').waitFor()
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('sign-in-refused')
  await page.context().close()
})
