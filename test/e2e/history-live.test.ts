import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestPage } from './browser.ts'
import { type HistoryHouse, openHistoryHouse, rowOf } from './history-house.ts'

let house: HistoryHouse
beforeAll(async () => {
  house = await openHistoryHouse()
}, 60_000)
afterAll(() => house.stop())

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${10_000_000 + from + i}`)
/** Three requests, whose messages are more than the stream tells one by one. */
const sendBurst = (reference: string): Promise<unknown> =>
  Promise.all(
    [0, 100, 200].map((from) =>
      house.send({ to: numbers(100, from), text: 'Burst', client_reference: reference }),
    ),
  )

/** Scrolls down until the list says that it is whole, and of how many messages. */
async function expectAll({ page }: TestPage, count: number): Promise<void> {
  const scrollOn = async (): Promise<string[]> => {
    await page.evaluate('scrollTo({ top: document.body.scrollHeight })')
    return page.getByText(/^That is all: /).allInnerTexts()
  }
  await expect.poll(scrollOn, { timeout: 30_000 }).toEqual([`That is all: ${count}.`])
}

/** The top of the history of a reference, in a tab in which the page behind the first is asked for, and comes when it is let go. */
async function openHeldBack(reference: string): Promise<{ tab: TestPage; letGo: () => void }> {
  const tab = await house.signedIn()
  const held = Promise.withResolvers<void>()
  await tab.page.route('**/history/page?*cursor*', async (route) => {
    await held.promise
    // What was given up meanwhile needs no answer.
    await route.continue().catch(() => undefined)
  })
  const asked = tab.page.waitForRequest('**/history/page?*cursor*')
  await tab.page.goto(house.addressOf(`?reference=${reference}`))
  await tab.page.locator('[data-message]').nth(5).waitFor()
  await tab.page.evaluate('scrollTo({ top: document.body.scrollHeight })')
  await asked
  await tab.page.evaluate('scrollTo({ top: 0 })')
  return { tab, letGo: () => held.resolve() }
} // prettier-ignore

test('a burst of messages, more than is told one by one, ends with each row as it stands', async () => {
  const tab = await house.open('?reference=burst')
  const { page } = tab
  await sendBurst('burst')
  await page.locator('[data-message]').nth(15).waitFor()
  await expectAll(tab, 300)
  await page.getByText('delivered', { exact: true }).nth(15).waitFor()
  await expect.poll(() => page.getByText(/^(queued|sending|sent)$/).count(), { timeout: 10_000 }).toBe(0)
  expect(tab.faults).toEqual([])
  await page.context().close()
}, 60_000)

test('what comes while an older page is read stays when that page is there', async () => {
  await house.send({ to: numbers(100), text: 'Older', client_reference: 'held' })
  await house.send({ to: numbers(50), text: 'Newer', client_reference: 'held' })
  const { tab, letGo } = await openHeldBack('held')
  const { page } = tab
  await house.send({ text: 'Came meanwhile', client_reference: 'held' })
  await rowOf(tab, 'Came meanwhile').getByText('delivered').waitFor()
  letGo()
  await expectAll(tab, 151)
  await page.evaluate('scrollTo({ top: 0 })')
  await rowOf(tab, 'Came meanwhile').getByText('delivered').waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
}, 60_000)

test('a burst while an older page is read leaves each message once and in its place', async () => {
  await house.send({ to: numbers(100), text: 'Older', client_reference: 'burst-held' })
  await house.send({ to: numbers(50), text: 'Newer', client_reference: 'burst-held' })
  const { tab, letGo } = await openHeldBack('burst-held')
  const { page } = tab
  await house.send({ text: 'Came meanwhile', client_reference: 'burst-held' })
  await rowOf(tab, 'Came meanwhile').waitFor()
  await sendBurst('burst-held')
  await page.locator(`[data-message="${await house.newestOf('burst-held')}"]`).waitFor()
  letGo()
  await expectAll(tab, 451)
  const shown = await page.evaluate<number>('new Set([...document.querySelectorAll("[data-message]")].map((row) => row.dataset.message)).size')
  expect(shown).toBe(await page.locator('[data-message]').count())
  expect(tab.faults).toEqual([])
  await page.context().close()
}, 60_000) // prettier-ignore

test('what comes behind a burst that is announced is shown with it', async () => {
  await house.send({ to: numbers(100), text: 'Older', client_reference: 'announced' })
  const tab = await house.open('?reference=announced')
  const { page } = tab
  await rowOf(tab, 'Older').nth(15).waitFor()
  await page.evaluate('scrollTo({ top: 600 })')
  await sendBurst('announced')
  const button = page.getByRole('button', { name: / new$/ })
  await expect.poll(async () => Number.parseInt(await button.innerText(), 10), { timeout: 10_000 }).toBeGreaterThan(40)
  await expect.poll(() => page.getByText(/^(queued|sending|sent)$/).count(), { timeout: 10_000 }).toBe(0)
  const announced = await button.innerText()
  await house.send({ text: 'The last of all', client_reference: 'announced' })
  await expect.poll(() => button.innerText(), { timeout: 10_000 }).not.toBe(announced)
  await button.click()
  await rowOf(tab, 'The last of all').getByText('delivered').waitFor()
  await expectAll(tab, 401)
  expect(tab.faults).toEqual([])
  await page.context().close()
}, 60_000) // prettier-ignore
