import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths, type PageOptions, type TestPage } from './browser.ts'
import { startApp } from '../harness.ts'
import { giveHistory } from './busy-account.ts'
import { type Ada, openAda } from './open-ada.ts'
import { givePassword, signIn } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  await giveHistory(ada, ada.account.accountId)
})
afterAll(() => ada.stop())

async function open(path: string, options?: PageOptions): Promise<TestPage> {
  const tab = await ada.signedIn(options)
  await tab.open(ada.place + path)
  return tab
}

/** Nothing makes the page wider than its window. */
const isWithin = ({ page }: TestPage): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')

test('the first message shows up without a reload, and its bar opens it in the history', async () => {
  const tab = await open('/test?range=1h')
  const { page } = tab
  await page.getByText('No test messages yet').waitFor()
  await tab.screenshot('overview-empty')
  await expectSound(tab)
  const { status } = await ada.client.send(ada.account.testKey, { to: '+15005550006', text: 'Hello' })
  expect(status).toBe(202)
  const delivered = page.getByRole('link', { name: 'Delivered 1' })
  await delivered.waitFor()
  expect(await page.getByText('No test messages yet').count()).toBe(0)
  await delivered.click()
  await page.waitForURL(/\/test\/history\?direction=outbound&state=delivered&from=/)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('bars are read and followed by the keyboard alone, and stand in a table too', async () => {
  const tab = await open('/live?range=90d')
  const { page } = tab
  const chart = page.getByRole('group', { name: /Messages by status/ })
  await chart.waitFor()
  await chart.getByRole('link').last().focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  const summary = await page.evaluate('document.activeElement.getAttribute("aria-label")')
  expect(summary).toMatch(/\(UTC\): [\d,]+ messages \([\d,]+ delivered, .*a week earlier/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('row').nth(90).waitFor()
  expect(await page.getByRole('row').count()).toBe(91)
  await tab.screenshot('overview-table')
  await expectSound(tab)
  await page.getByText('7 d', { exact: true }).click()
  await page.waitForURL(/range=7d/)
  await page.getByRole('heading', { name: 'Traffic, the last 7 days' }).waitFor()
  await page.context().close()
})

test('the balance says when the page is no longer told of changes', async () => {
  const other = await startApp()
  const { userId, accountId } = await other.openAccount('Eve')
  const { email } = await givePassword(other, userId)
  const tab = await ada.browser.newPage()
  const { page } = tab
  await signIn(tab, other, email)
  await tab.open(`${other.url}/a/${accountId}/live`)
  const balance = (summary: string) =>
    page.getByRole('banner').getByRole('link', { name: summary, exact: true })
  await balance('10 SMS').waitFor()
  await other.stop()
  await balance('10 SMS (not live)').waitFor()
  expect(await balance('10 SMS').count()).toBe(0)
  await page.context().close()
})

test('a stream that the server refused is asked for again, and what it tells then is shown', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await page.clock.install()
  let refused = 0
  await page.route('**/console/api/live**', (route) =>
    refused++ === 0 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  )
  await tab.open(`${ada.place}/test`)
  await page.getByRole('banner').getByText('(not live)').waitFor()
  // The pause before it is asked for again.
  await page.clock.fastForward(2_000)
  await page
    .getByRole('banner')
    .getByText(/^\d+ SMS$/)
    .waitFor()
  const { status } = await ada.client.send(ada.account.testKey, { to: '+15005550006', text: 'Again' })
  expect(status).toBe(202)
  await page.getByRole('link', { name: 'Delivered 2' }).waitFor()
  await page.context().close()
})

test('the whole name of an account is seen on a phone too', async () => {
  const name = 'Kurierdienst-Hamburg-Altona'
  const { userId, accountId } = await ada.openAccount(name)
  const { email } = await givePassword(ada, userId)
  const tab = await ada.browser.newPage({ width: 390 })
  await signIn(tab, ada, email)
  await tab.open(`${ada.url}/a/${accountId}/live/members`)
  await tab.page.getByRole('heading', { name: 'Members' }).waitFor()
  const shown = tab.page.getByTitle(name)
  expect(await shown.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect(await isWithin(tab)).toBe(true)
  const mode = tab.page.getByRole('radiogroup', { name: 'Mode' })
  expect(await mode.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await tab.screenshot('header-long-name')
  await tab.page.context().close()
})

test('an owner sets when the balance is low, and the statement comes as a file', async () => {
  const tab = await open('/live/balance')
  const { page } = tab
  await page.getByLabel('Warn at').fill('50000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('low: 50,000 or fewer').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^statement-live-\d{4}-\d\d-\d\d\.csv$/)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test.each(widths)('overview and balance are sound at %i pixels, light and dark', async (width) => {
  const tab = await open('/live', { width })
  const { page } = tab
  await page.getByRole('group', { name: /Messages by status/ }).waitFor()
  await tab.screenshot('overview')
  expect(await isWithin(tab)).toBe(true)
  await expectSoundInBothSchemes(tab)
  await tab.follow(`${ada.place}/live/balance`)
  await page.getByRole('cell', { name: 'Balance before' }).waitFor()
  await tab.screenshot('balance')
  expect(await isWithin(tab)).toBe(true)
  await expectSoundInBothSchemes(tab)
  await page.context().close()
})
