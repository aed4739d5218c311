import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

test('a person makes a key, reads it this once, sends with it, and revokes it', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/developers`)
  await page.getByRole('button', { name: 'Create test key' }).click()
  await page.getByLabel(/^Name/).fill('Shop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const token = await page.getByTestId('new-key').innerText()
  await expectSound(tab)
  await tab.screenshot('developers')
  const { status } = await ada.client.send(token, { to: '+15005550006', text: 'Hello' })
  expect(status).toBe(202)
  await page.reload()
  await page.getByRole('heading', { name: 'Developers' }).waitFor()
  expect(await page.content()).not.toContain(token)
  await page.getByRole('button', { name: 'Revoke Shop' }).click()
  await page.getByRole('button', { name: 'Revoke key Shop' }).click()
  await page.getByRole('cell', { name: 'revoked' }).waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test.each(widths)('the page is sound at %i pixels, light and dark', async (width) => {
  const tab = await ada.signedIn({ width })
  await tab.open(`${ada.place}/live/developers`)
  await tab.page.getByRole('cell', { name: 'First live key', exact: true }).waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('developers')
  await tab.page.context().close()
})

test('the reference names every operation under its own policy, and loads nothing from elsewhere', async () => {
  const tab = await ada.browser.newPage()
  const { page, faults } = tab
  const loaded = new Set<string>()
  page.on('request', (request) => loaded.add(new URL(request.url()).origin))
  await page.goto(`${ada.url}/docs`)
  const { paths } = (await (await fetch(`${ada.url}/openapi.json`)).json()) as OpenApi
  const summaries = Object.values(paths).flatMap((path) => Object.values(path).map(({ summary }) => summary))
  expect(summaries.length).toBe(4)
  await page.getByRole('heading', { name: 'Send an SMS' }).first().waitFor()
  for (const summary of summaries) await page.getByText(summary).first().waitFor()
  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Guides' })
    .waitFor()
  expect([...loaded]).toEqual([new URL(ada.url).origin])
  await tab.screenshot('reference')
  expect(faults).toEqual([])
  await page.context().close()
})

interface OpenApi {
  paths: Record<string, Record<string, { summary: string }>>
}
