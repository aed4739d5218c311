import { afterAll, beforeAll, expect, test } from 'vitest'
import { guidePath, guides } from '../../src/process/guides.ts'
import { type Ada, openAda } from './open-ada.ts'
import { expectSound, widths } from './browser.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

test.each(widths)(
  'the guides and the problems are sound at %i pixels, light and dark',
  async (width) => {
    const tab = await ada.browser.newPage({ width })
    const names = Object.keys(guides) as (keyof typeof guides)[]
    for (const path of ['/docs/guides', '/docs/problems', '/docs/problems/no_sender_available', ...names.map((name) => guidePath(name))]) {
      await tab.page.goto(`${ada.url}${path}`)
      await tab.page.locator('h1').waitFor()
      await expectSound(tab)
      await tab.page.emulateMedia({ colorScheme: 'dark' })
      expect(await tab.axe('colors'), path).toEqual([])
      await tab.page.emulateMedia({ colorScheme: 'light' })
      await tab.screenshot(path.slice(1).replaceAll('/', '-'))
      const overflow = await tab.page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect(overflow, path).toBe(0)
    }
    await tab.page.context().close()
  },
  120_000,
) // prettier-ignore

test('First steps leads to the guide to phones and has the command of this installation', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/start`)
  await page.getByText('onesixty device connect').waitFor()
  await expectSound(tab)
  await page.getByRole('link', { name: 'guide', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Android phones', level: 1 }).waitFor()
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Trouble' }).click()
  expect(new URL(page.url()).hash).toBe('#trouble')
  await expectSound(tab)
  await page.context().close()
})
