import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestPage } from './browser.ts'
import { type HistoryHouse, openHistoryHouse, rowOf } from './history-house.ts'

let house: HistoryHouse
beforeAll(async () => {
  house = await openHistoryHouse()
})
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

/** Scrolls down until the list says that it is whole, and of how many messages; what the end of a burst brings while it is scrolled, it announces. */
async function expectAll({ page }: TestPage, count: number): Promise<void> {
  const news = page.getByRole('button', { name: / new$/ })
  const scrollOn = async (): Promise<string[]> => {
    if (await news.isVisible()) await news.click()
    await page.evaluate('scrollTo({ top: document.body.scrollHeight })')
    return page.getByText(/ messages in total$/).allInnerTexts()
  }
  await expect.poll(scrollOn, { timeout: 30_000 }).toEqual([`${count} messages in total`])
}

/** The top of the history of a reference with 150 messages, in a tab in which the page behind the first is asked for, and comes when it is let go. */
async function openHeldBack(reference: string): Promise<{ tab: TestPage; letGo: () => void }> {
  await house.send({ to: numbers(100), text: 'Older', client_reference: reference })
  await house.send({ to: numbers(50), text: 'Newer', client_reference: reference })
  const tab = await house.signedIn()
  const held = Promise.withResolvers<void>()
  await tab.page.route('**/history/page?*cursor*', async (route) => {
    await held.promise
    // What was given up meanwhile needs no answer.
    await route.continue().catch(() => undefined)
  })
  const asked = tab.page.waitForRequest('**/history/page?*cursor*')
  await tab.open(house.addressOf(`?reference=${reference}`))
  await tab.page.locator('[data-message]').nth(5).waitFor()
  await tab.page.evaluate('scrollTo({ top: document.body.scrollHeight })')
  await asked
  await tab.page.evaluate('scrollTo({ top: 0 })')
  return { tab, letGo: () => held.resolve() }
}

test('a burst of messages, more than is told one by one, ends with each row as it stands', async () => {
  const tab = await house.open('?reference=burst')
  const { page } = tab
  house.gate.hold()
  await sendBurst('burst')
  await page
    .getByText(/^(queued|sending)$/)
    .nth(15)
    .waitFor()
  house.gate.letGo()
  await expectAll(tab, 300)
  await page.getByText('delivered', { exact: true }).nth(15).waitFor()
  await expect.poll(() => page.getByText(/^(queued|sending|sent)$/).count(), { timeout: 10_000 }).toBe(0)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('what comes while an older page is read stays when that page is there', async () => {
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
})

test('a burst while an older page is read leaves each message once and in its place', async () => {
  const { tab, letGo } = await openHeldBack('burst-held')
  const { page } = tab
  await house.send({ text: 'Came meanwhile', client_reference: 'burst-held' })
  await rowOf(tab, 'Came meanwhile').waitFor()
  await sendBurst('burst-held')
  await page.locator(`[data-message="${(await house.messagesOf('burst-held'))[0]?.id}"]`).waitFor()
  letGo()
  await expectAll(tab, 451)
  // Read at once: which rows are drawn changes while the page settles.
  const shown = await page.evaluate<string[]>(
    '[...document.querySelectorAll("[data-message]")].map((row) => row.dataset.message)',
  )
  expect(shown.length).toBeGreaterThan(0)
  expect(new Set(shown).size).toBe(shown.length)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('what comes behind a burst that is announced is shown with it', async () => {
  await house.send({ to: numbers(100), text: 'Older', client_reference: 'announced' })
  const tab = await house.open('?reference=announced')
  const { page } = tab
  await rowOf(tab, 'Older').nth(15).waitFor()
  await page.evaluate('scrollTo({ top: 600 })')
  await sendBurst('announced')
  const states = async () => new Set((await house.messagesOf('announced')).map(({ status }) => status))
  const areDelivered = async (): Promise<void> => {
    await expect.poll(states, { timeout: 20_000 }).toEqual(new Set(['delivered']))
  }
  await areDelivered()
  const button = page.getByRole('button', { name: / new$/ })
  const announced = () => button.innerText()
  // The head of the list anew, which is a page; on a slow machine they may be told one by one.
  await expect.poll(announced, { timeout: 10_000 }).toMatch(/^(?:100|300) new$/)
  /** Until one is told by itself, and not with what is still told of the burst. */
  const announce = async (text: string): Promise<void> => {
    const before = await announced()
    const sendAndLook = async (): Promise<string> => {
      await house.send({ text, client_reference: 'announced' })
      return button.innerText()
    }
    await expect.poll(sendAndLook, { timeout: 20_000, interval: 250 }).not.toBe(before)
  }
  await announce('Over before anybody looks')
  await areDelivered()
  // Of the one before nothing more is told from now on.
  await announce('The last of all')
  await button.click()
  await rowOf(tab, 'Over before anybody looks').first().getByText('delivered').waitFor()
  await rowOf(tab, 'The last of all').first().getByText('delivered').waitFor()
  await expectAll(tab, (await house.messagesOf('announced')).length)
  expect(tab.faults).toEqual([])
  await page.context().close()
})
