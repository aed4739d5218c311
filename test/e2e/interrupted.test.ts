import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestPage } from './browser.ts'
import { givePassword, testPassword } from './signed-in.ts'
import { type Ada, openAda } from './open-ada.ts'

/** What is being written is not lost by the end of a session, or by an upgrade of the server. */

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

const storedTexts = async (): Promise<(string | null)[]> =>
  (await ada.app.storage.read.selectFrom('messages').select('text').execute()).map(({ text }) => text)

async function write(tab: TestPage, text: string): Promise<void> {
  await tab.open(`${ada.place}/test/send`)
  await tab.page.getByRole('textbox', { name: 'To', exact: true }).fill('+15005550006')
  await tab.page.getByRole('textbox', { name: 'Text', exact: true }).fill(text)
  await tab.page.getByRole('status', { name: 'Cost' }).waitFor()
}

test('who is signed out while writing signs in over the page, and what was pressed is done once', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await write(tab, 'Written before the session ended')
  await page.context().clearCookies()
  const posts: number[] = []
  page.on(
    'response',
    (response) => void (response.url().includes('send/one') && posts.push(response.status())),
  )
  await page.getByRole('button', { name: 'Send message' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  expect(await dialog.getByLabel('E-mail address').inputValue()).toBe(ada.email)
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('sign-in-again')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('not this one')
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('textbox', { name: 'Password' }).fill(testPassword)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Accepted').waitFor()
  await dialog.waitFor({ state: 'detached' })
  expect(await storedTexts()).toEqual(['Written before the session ended'])
  expect(posts).toEqual([401, 200])
  await page.context().close()
})

test('who declines is told that the page is no longer updated, and signs in from there', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await write(tab, 'Written by who declined')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Send message' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByRole('button', { name: 'Close' }).click()
  const bar = page.getByText('Your session has ended. This page is no longer updated.')
  await bar.waitFor()
  await page.getByRole('status').getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('textbox', { name: 'Password' }).fill(testPassword)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByText('Accepted').waitFor()
  expect(await storedTexts()).toContain('Written by who declined')
  await page.context().close()
})

test('a part that an upgrade has replaced is loaded by one reload, and what was written is there after it', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/live/send`)
  let isMissing = true
  await page.route(/option-fields.*\.js/, (route) =>
    isMissing ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  )
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Written before the upgrade')
  const reloaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Options' }).click()
  await reloaded
  isMissing = false
  await page.getByText('Draft restored').waitFor()
  expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe(
    'Written before the upgrade',
  )
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Reference').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe('')
  await page.context().close()
})

test('what is written for one mode stays apart from the other, and nothing of it is left after signing out', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/live/send`)
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.fill('For live')
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Test').click()
  await expect.poll(() => text.inputValue()).toBe('')
  await text.fill('For test')
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Live').click()
  await expect.poll(() => text.inputValue()).toBe('For live')
  const drafts = (): Promise<number> =>
    page.evaluate<number>('Object.keys(sessionStorage).filter((name) => name.startsWith("draft:")).length')
  expect(await drafts()).toBeGreaterThan(0)
  await page.getByRole('button', { name: /accounts and sign-out$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)
  expect(await drafts()).toBe(0)
  await page.context().close()
})

test('a session that ends in one tab is asked for in the other, and one that begins there continues both', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await write(tab, 'In the other tab')
  const other = await page.context().newPage()
  await other.goto(`${ada.place}/live/devices`)
  await other.getByRole('button', { name: /accounts and sign-out$/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await other.getByLabel('E-mail address').fill(ada.email)
  await other.getByRole('textbox', { name: 'Password' }).fill(testPassword)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send message' }).click()
  await page.getByText('Accepted').waitFor()
  expect(await storedTexts()).toContain('In the other tab')
  const bob = await ada.openAccount('Bob')
  const { email } = await givePassword(ada, bob.userId)
  const reloaded = page.waitForEvent('load')
  await other.goto(`${ada.url}/sign-in`)
  await other.getByLabel('E-mail address').fill(email)
  await other.getByRole('textbox', { name: 'Password' }).fill(testPassword)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await reloaded
  await page.context().close()
})
