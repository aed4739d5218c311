import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { expectSound, openBrowser, type PageOptions, type TestBrowser, type TestPage } from './browser.ts'
import { givePassword, signIn } from './signed-in.ts'

let app: TestApp
let browser: TestBrowser
let email: string
let place: string

beforeAll(async () => {
  app = await startApp()
  const { userId, accountId } = await app.openAccount('Ada')
  email = (await givePassword(app, userId)).email
  place = `${app.url}/a/${accountId}`
  browser = await openBrowser()
}, 60_000)
afterAll(async () => {
  await browser.close()
  await app.stop()
})

/** A page of the account, signed in, its first heading shown. */
async function visit(path: string, options?: PageOptions): Promise<TestPage> {
  const tab = await browser.newPage(options)
  await signIn(tab, app, email)
  await tab.page.goto(place + path)
  await tab.page.locator('h1').waitFor()
  return tab
}

/** What has the focus, as people who hear the page are told it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(({ activeElement: { tagName, textContent, ariaLabel } }) => tagName + ' ' + (ariaLabel || textContent.trim()))(document)`,
  )

test('the tab key comes to the skip link first, and it leads over the navigation into the page', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('A Skip to content')
  await expectSound(tab)
  await tab.screenshot('skip-link')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('BUTTON Invite somebody')
  expect(page.url()).toBe(`${place}/live/members`)
  await page.context().close()
})

test('a page that was gone to has the focus on its heading, and its name and the account in the title', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  expect(await page.title()).toBe('Members · Ada · onesixty')
  expect(await focused(page)).toMatch(/^BODY/)
  await page.getByRole('link', { name: 'History' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('H1 History')
  await expect.poll(() => page.title()).toBe('History · Ada · onesixty')
  await page.goBack()
  await expect.poll(() => focused(page)).toBe('H1 Members')
  await page.getByRole('radio', { name: 'Live' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(/\/test\/members/)
  await expect.poll(() => page.title()).toBe('Members · Ada (test) · onesixty')
  expect(await focused(page)).toMatch(/^INPUT/)
  await page.goto(`${app.url}/profile`)
  await expect.poll(() => page.title()).toBe('Profile and security · onesixty')
  expect(tab.faults).toEqual([])
  await page.context().close()
})
