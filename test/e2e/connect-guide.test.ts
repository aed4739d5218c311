import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startLocalPhone } from '../phones/local-phone.ts'
import { expectSound, expectSoundInBothSchemes, widths, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { makeOperator } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  await makeOperator(ada, ada.account.userId)
})
afterAll(() => ada.stop())

const statesOf = ({ page }: TestPage): Promise<(string | undefined)[]> =>
  page.locator('[data-step]').evaluateAll((items) => items.map((item) => item.dataset['state']))

const stepOf = ({ page }: TestPage, name: string) => page.locator(`[data-step="${name}"]`)

const isIn = (tab: TestPage, name: string, state: string): Promise<void> =>
  tab.page.locator(`[data-step="${name}"][data-state="${state}"]`).waitFor({ timeout: 20_000 })

/** The dialog, in which a phone is the first kind. */
async function openGuide(width: 390 | 1440): Promise<TestPage> {
  const tab = await ada.signedIn({ width })
  onTestFinished(() => tab.page.context().close())
  await tab.open(`${ada.place}/live/devices`)
  await tab.page.getByRole('button', { name: /^Connect (?:first )?device$/ }).first().click() // prettier-ignore
  await tab.page.getByText('app-release.apk').waitFor()
  return tab
}

test.each(widths)(
  'nine steps lead to an answered SMS at %i pixels, and what fails is mended where it failed, without a reload',
  async (width) => {
    const own = '+4915550001234'
    const refused = '+4915112345678'
    const local = await startLocalPhone({
      localPassword: 'geheimer-igel',
      outcomeOf: { [refused]: 'failed' },
      // Another phone for each width.
      seed: width,
    })
    const tab = await openGuide(width)
    const { page } = tab
    const loaded = await page.evaluate(() => performance.timeOrigin)
    expect(await statesOf(tab)).toEqual(['now', 'now', ...Array<string>(7).fill('later')])
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('guide-begins')
    await page.getByRole('button', { name: 'Same network (recommended)' }).click()
    // The control that had the focus is gone.
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Address')

    await page.getByLabel(/^Local address/).fill('127.0.0.1:9')
    await page.getByLabel(/^Password/).fill('wrong')
    await page.getByRole('button', { name: 'Connect phone' }).click()
    await stepOf(tab, 'address').getByText('No answer from 127.0.0.1:9.').waitFor()
    await stepOf(tab, 'address')
      .getByText(/Usually the phone is asleep, in another Wi-Fi/)
      .waitFor()
    await tab.screenshot('guide-no-answer')
    await page.getByLabel(/^Local address/).fill(local.address)
    await page.keyboard.press('Enter')
    await isIn(tab, 'address', 'done')
    await stepOf(tab, 'login').getByText(`Wrong user name or password at ${local.address}.`).waitFor()
    await expectSound(tab)
    await tab.screenshot('guide-wrong-password')
    await page.getByLabel(/^Password/).fill(local.password)
    await page.getByRole('button', { name: 'Connect phone' }).click()
    await isIn(tab, 'login', 'done')
    await isIn(tab, 'permissions', 'done')
    await stepOf(tab, 'permissions')
      .getByText(/^SIM 1: /)
      .waitFor()
    await isIn(tab, 'battery', 'now')
    await stepOf(tab, 'battery').getByText('80%, charging.').waitFor()
    await page.getByRole('button', { name: 'The app is allowed to run' }).click()
    await isIn(tab, 'number', 'done')
    await stepOf(tab, 'number').getByText(own).waitFor()

    await page.getByLabel(/^Send to/).fill(refused)
    await page.getByRole('button', { name: 'Send test SMS' }).click()
    await isIn(tab, 'test', 'failed')
    await stepOf(tab, 'test').getByText(`SMS to ${refused}: unconfirmed.`).waitFor()
    await stepOf(tab, 'test')
      .getByText(/ask the recipient before you send again/)
      .waitFor()
    await expectSound(tab)
    await tab.screenshot('guide-test-failed')
    await page.getByLabel(/^Send to/).fill(own)
    await page.getByRole('button', { name: 'Send test SMS again' }).click()
    await isIn(tab, 'test', 'done')
    await isIn(tab, 'answer', 'now')
    await stepOf(tab, 'test').getByText(`SMS to ${own}: delivered.`).waitFor({ timeout: 20_000 })
    await tab.screenshot('guide-answer')
    await local.phones.receiveSms(local.phones.phone(0), { from: own, text: 'It works.' })
    await isIn(tab, 'answer', 'done')
    await stepOf(tab, 'answer').getByText(`${own}: It works.`).waitFor()
    await page.getByText('Connected', { exact: true }).waitFor()
    expect(await statesOf(tab)).toEqual(Array<string>(9).fill('done'))
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('guide-done')
    await page.getByRole('link', { name: 'Open phone' }).click()
    await page.getByRole('heading', { name: 'SIMs' }).waitFor()
    expect(tab.faults).toEqual([])
  },
  90_000,
)
