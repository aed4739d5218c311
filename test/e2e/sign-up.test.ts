import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { totp } from '../console/visitor.ts'
import { expectSound, openBrowser, type TestBrowser } from './browser.ts'
import { setTestDevice } from './test-device.ts'

let app: TestApp
let browser: TestBrowser
beforeAll(async () => {
  app = await startApp()
  await setTestDevice(app, { delay_ms: '0' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await app.stop()
})

const email = 'eve@example.org'
const password = 'gelber Igel im Schnee'

test('a stranger signs up, has 10 SMS, and sees the message of the first line of curl delivered without a reload', async () => {
  const tab = await browser.newPage({ width: 390, colorScheme: 'dark' })
  const { page } = tab
  await tab.open(`${app.url}/sign-in`)
  await page.getByRole('link', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Create account' }).waitFor()
  await expectSound(tab)
  await page.getByLabel('Name').fill('Eve')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel(/^Password/).fill('passwordpassword')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('This password is too common').waitFor()
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('sign-up-refused')
  await page.getByLabel(/^Password/).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()

  // The refusal above stands in the console of the browser, as each answer of 4xx does.
  tab.faults.splice(0)
  const line = (await page.getByTestId('curl').textContent()) ?? ''
  await expectSound(tab)
  await page.getByText('Live', { exact: true }).click()
  await page.getByText(/^10$/).waitFor()
  await page.getByText('Test', { exact: true }).click()
  const loaded = await page.evaluate(() => performance.timeOrigin)
  await promisify(execFile)('sh', ['-c', line])
  await page.getByText('The message is delivered.').waitFor()
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded)
  await expectSound(tab)
  await tab.screenshot('first-steps-delivered')

  // With a key made by hand, seen where all messages are seen.
  const base = page.url().replace(/\/start$/, '')
  await tab.follow(`${base}/developers`)
  await page.getByRole('button', { name: 'Create test key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Shop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByTestId('new-key').textContent()) ?? ''
  await tab.follow(`${base}/history`)
  await page.getByRole('heading', { name: 'History' }).waitFor()
  const row = page.getByText('A line of my own')
  await page.getByText('Hello from onesixty').first().waitFor()
  expect(await row.count()).toBe(0)
  const delivered = page.getByText('delivered', { exact: true })
  const before = await delivered.count()
  const opened = await page.evaluate(() => performance.timeOrigin)
  const own = line.replace(/onesixty_test_\w+/, key).replace('Hello from onesixty', 'A line of my own')
  await promisify(execFile)('sh', ['-c', own])
  await row.first().waitFor()
  await delivered.nth(before).waitFor()
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened)
  await page.context().close()
})

test('a person adds an authenticator app, signs in with its code, and ends the session of another browser', async () => {
  const tab = await browser.newPage()
  const { page } = tab
  const signIn = async (on: typeof page): Promise<void> => {
    await on.goto(`${app.url}/sign-in`)
    await on.getByLabel('E-mail address').fill(email)
    await on.getByLabel(/^Password/).fill(password)
    await on.getByRole('button', { name: 'Sign in' }).click()
  }
  await signIn(page)
  await page.waitForURL(/\/a\//)
  await tab.follow('/profile')
  await page.getByRole('button', { name: 'Add authenticator app' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('profile')
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/^Password/)
    .fill(password)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  const secret = (await page.getByTestId('totp-secret').textContent()) ?? ''
  await tab.screenshot('add-second-factor')
  expect(await tab.axe()).toEqual([])
  await page.getByRole('textbox', { name: 'Code' }).fill(totp(secret))
  await page.getByRole('button', { name: 'Add app' }).click()
  const recovery = (await page.getByTestId('recovery-codes').locator('code').first().textContent()) ?? ''
  await tab.screenshot('recovery-codes')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Remove second factor' }).waitFor()

  const other = await browser.newPage({ width: 390, colorScheme: 'dark' })
  await signIn(other.page)
  await other.page.getByRole('textbox', { name: 'Code' }).waitFor()
  await expectSound(other)
  await other.screenshot('give-code')
  // The next one, which is accepted already: each code works once.
  await other.page.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now() + 30_000))
  await other.page.getByRole('button', { name: 'Continue' }).click()
  await other.page.waitForURL(/\/a\//)
  await other.follow('/profile')
  await other.page.getByRole('button', { name: /^End .*other session/ }).waitFor()
  await expectSound(other)
  await other.screenshot('profile')

  await page.reload()
  await page.getByRole('button', { name: /^End .*other session/ }).click()
  await page.getByRole('button', { name: 'No other sessions' }).waitFor()
  await other.page.getByRole('button', { name: 'Renew recovery codes' }).click()
  await other.page
    .getByRole('dialog')
    .getByLabel(/^Password/)
    .fill(password)
  await other.page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click()
  const again = other.page.getByRole('dialog', { name: 'Sign in again' })
  await again.getByRole('textbox', { name: 'Password' }).fill(password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await again.getByRole('textbox', { name: 'Code' }).fill(recovery)
  expect(await other.axe()).toEqual([])
  await other.screenshot('sign-in-again-with-code')
  await again.getByRole('button', { name: 'Continue' }).click()
  await again.waitFor({ state: 'detached' })
  await other.page.getByTestId('recovery-codes').waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
  await other.page.context().close()
})
