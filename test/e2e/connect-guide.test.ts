import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { startLocalPhone } from '../phones/local-phone.ts'
import { expectSound, expectSoundInBothSchemes, widths, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { makeOperator } from './signed-in.ts'
import { hurryVisits } from './test-device.ts'

/** A network with one other address, behind which the phones of the tests are. */
const network = { asked: ['127.0.0.0/30'], tooLarge: [], hosts: ['127.0.0.1'] }
let ada: Ada
beforeAll(async () => {
  ada = await openAda({}, { networks: () => network })
  await makeOperator(ada, ada.account.userId)
})
afterAll(() => ada.stop())

const statesOf = ({ page }: TestPage): Promise<(string | undefined)[]> =>
  page.locator('[data-step]').evaluateAll((items) => items.map((item) => item.dataset['state']))

const stepOf = ({ page }: TestPage, name: string) => page.locator(`[data-step="${name}"]`)

const isIn = (tab: TestPage, name: string, state: string): Promise<void> =>
  tab.page.locator(`[data-step="${name}"][data-state="${state}"]`).waitFor({ timeout: 20_000 })

/** The account as it was: no key has a limit, and no phone of a former test waits for messages from the same number. */
const startOver = (): Promise<void> =>
  ada.app.storage.writer.write(async (tx) => {
    await tx.updateTable('api_keys').set({ daily_cap: null }).execute()
    await tx.updateTable('devices').set({ state: 'retired' }).where('kind', '=', 'android').execute()
    await touchDirectory(tx)
  })

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
  'ten steps lead to an answered SMS at %i pixels, and what fails is mended where it failed, without a reload',
  async (width) => {
    const own = '+4915550001234'
    const refused = '+4915112345678'
    const local = await startLocalPhone({
      localPassword: 'geheimer-igel',
      outcomeOf: { [refused]: 'failed' },
      // Another phone for each width.
      seed: width,
    })
    await startOver()
    const tab = await openGuide(width)
    const { page } = tab
    const loaded = await page.evaluate(() => performance.timeOrigin)
    expect(await statesOf(tab)).toEqual(['now', 'now', ...Array<string>(8).fill('later')])
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('guide-begins')
    await page.getByRole('button', { name: 'Same network (recommended)' }).click()
    // The control that had the focus is gone.
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Address')

    // A choice by mistake: the way back leads to it.
    await page.getByRole('button', { name: 'Back to: Choose the connection' }).click()
    await isIn(tab, 'way', 'now')
    await page.getByRole('button', { name: 'Same network (recommended)' }).click()
    await page.getByLabel(/^Port/).fill(local.address.split(':')[1] ?? '')
    await page.getByRole('button', { name: 'Find phones' }).click()
    await page.getByText('Asked 1 address of 127.0.0.0/30: 1 found.').waitFor()
    await page.getByRole('button', { name: `Use ${local.address}, app 1.68.0` }).click()
    expect(await page.getByLabel(/^Local address/).inputValue()).toBe(local.address)
    await expectSound(tab)
    await tab.screenshot('guide-found')

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
    await hurryVisits(ada)
    await isIn(tab, 'permissions', 'done')
    await stepOf(tab, 'permissions')
      .getByText(/^SIM 1: /)
      .waitFor()
    await isIn(tab, 'battery', 'now')
    await stepOf(tab, 'battery').getByText('80%, charging.').waitFor()
    await page.getByRole('button', { name: 'The app is allowed to run' }).click()
    await isIn(tab, 'number', 'done')
    await stepOf(tab, 'number').getByText(own).waitFor()

    await isIn(tab, 'limit', 'now')
    await page.getByLabel('SMS a day for each API key').fill('150')
    await expectSound(tab)
    await tab.screenshot('guide-limit')
    await page.getByRole('button', { name: 'Set limit' }).click()
    await isIn(tab, 'limit', 'done')
    await stepOf(tab, 'limit').getByText('Each API key sends at most 150 SMS a day.').waitFor()

    await page.getByLabel(/^Send to/).fill(refused)
    await page.getByRole('button', { name: 'Send test SMS' }).click()
    await isIn(tab, 'test', 'failed')
    await stepOf(tab, 'test').getByText(`SMS to ${refused}: unconfirmed.`).waitFor()
    await stepOf(tab, 'test')
      .getByText(/ask the recipient before you send again/)
      .waitFor()
    // What the phone said, from the guide to its results.
    await stepOf(tab, 'test')
      .getByText(/^RESULT_ERROR_GENERIC_FAILURE: .* often no credit/)
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
    expect(await statesOf(tab)).toEqual(Array<string>(10).fill('done'))
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

test.each(widths)(
  'over the internet, at %i pixels, the code of a link is ticked by the phone that opens it, and a way back keeps the private token',
  async (width) => {
    const tab = await openGuide(width)
    const { page } = tab
    await page.getByRole('button', { name: 'Over the internet' }).click()
    const link = await page.getByTestId('reach-link').innerText()
    const token = await page.getByTestId('type-private').innerText()
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await page.getByText('Waiting for a phone to open the link.').waitFor()
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('guide-link')
    await page.getByRole('button', { name: 'Back to: Choose the connection' }).click()
    await isIn(tab, 'way', 'now')
    await page.getByRole('button', { name: 'Over the internet' }).click()
    await isIn(tab, 'login', 'now')
    expect(await page.getByTestId('type-private').innerText()).toBe(token)
    const second = await page.getByTestId('reach-link').innerText()
    expect(second).not.toBe(link)
    // As Chrome on Android says who it is; its version is frozen (developer.chrome.com, User-Agent reduction).
    const userAgent = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'
    await fetch(second, { headers: { 'accept': 'text/html', 'user-agent': userAgent } })
    await isIn(tab, 'address', 'done')
    await stepOf(tab, 'address').getByText('A phone reached it from 127.0.0.1, by this machine: a cable or a proxy.').waitFor()
    await isIn(tab, 'login', 'now')
    await expectSound(tab)
    await tab.screenshot('guide-link-opened')
    expect(tab.faults).toEqual([])
  },
  60_000,
) // prettier-ignore
