import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { expectSound, openBrowser, type TestBrowser } from './browser.ts'
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

test('a person makes a key, reads it this once, sends with it, and revokes it', async () => {
  const tab = await browser.newPage()
  const { page } = tab
  await signIn(tab, app, email)
  await page.goto(`${place}/test/developers`)
  await page.getByRole('button', { name: 'Create a test key' }).click()
  await page.getByLabel(/^Name/).fill('Shop')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const token = await page.getByTestId('new-key').innerText()
  await expectSound(tab)
  await tab.screenshot('developers')
  const answer = await fetch(`${app.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+15005550006', text: 'Hello' }),
  })
  await answer.arrayBuffer()
  expect(answer.status).toBe(202)
  await page.reload()
  await page.getByRole('heading', { name: 'Developers' }).waitFor()
  expect(await page.content()).not.toContain(token)
  await page.getByRole('button', { name: 'Revoke Shop' }).click()
  await page.getByRole('button', { name: 'Revoke the key Shop' }).click()
  await page.getByRole('cell', { name: 'revoked' }).waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test.each([
  [390, 'dark'],
  [390, 'light'],
  [1440, 'dark'],
] as const)('the page is sound at %i pixels, %s', async (width, colorScheme) => {
  const tab = await browser.newPage({ width, colorScheme })
  await signIn(tab, app, email)
  await tab.page.goto(`${place}/live/developers`)
  await tab.page.getByRole('cell', { name: 'First live key', exact: true }).waitFor()
  await expectSound(tab)
  await tab.screenshot('developers')
  await tab.page.context().close()
})
