import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSound, type TestPage } from './browser.ts'
import { storeMany } from './many-messages.ts'
import { sizeOf } from '../proof-sizes.ts'
import { type Scrolled, scrollThrough } from './scroll-through.ts'
import { type Ada, openAda } from './open-ada.ts'

const count = sizeOf('SHOWN_MESSAGES')
const shownCount = count.toLocaleString('en')
let tab: TestPage
let ada: Ada
beforeAll(async () => {
  // What reads for long is read by threads, and the server goes on meanwhile.
  ada = await openAda({}, { onThreads: true })
  await storeMany(ada.app.storage, ada.account.accountId, count)
  tab = await ada.signedIn()
  await tab.open(`${ada.place}/live/history`)
  await tab.page.getByRole('row').nth(5).waitFor()
}, 120_000)
afterAll(() => ada.stop())

/** Follows a link to a filter that was not asked for before, and gives how many milliseconds later its first page was shown. */
const shownAfterMs = (query: string): Promise<number> => {
  latestMs += 60_000
  const address = `?${query}&to=${new Date(latestMs).toISOString()}`
  return tab.page.evaluate<number>(`(async () => {
    performance.clearResourceTimings()
    const isAnswered = () =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('toMs%22%3A${latestMs}'))
    const startMs = performance.now()
    history.pushState({}, '', location.pathname + ${JSON.stringify(address)})
    while (!isAnswered() || document.querySelector('main [aria-busy="true"]') !== null) {
      if (performance.now() - startMs > 5000) throw new Error('nothing came')
      await new Promise((next) => requestAnimationFrame(next))
    }
    return performance.now() - startMs
  })()`)
}
let latestMs = Date.now()

/** What else the machine does only adds to a time: the least of several is what the page itself takes. */
async function minShownAfterMs(query: string): Promise<number> {
  const times: number[] = []
  for (let look = 0; look < looks; look += 1) times.push(await shownAfterMs(query))
  return Math.min(...times)
}
const looks = sizeOf('SHOWN_LOOKS')
/** One look says what else the machine does as well. */
const longestMs = looks === 1 ? 5_000 : 300

/** For a page to evaluate: keeps all that it says in its status lines, some of it for less than a moment. */
const keepSaid = `{
  window.said = new Set()
  new MutationObserver(() => { for (const { textContent } of document.querySelectorAll('[role="status"]')) said.add(textContent) })
    .observe(document, { subtree: true, childList: true, characterData: true })
}`

describe(`with ${shownCount} messages`, () => {
  test.each([
    ['state=failed', 'unreachable'],
    ['error=network_rejected', 'network_rejected'],
    ['direction=inbound', 'received'],
    ['text=NEEDLE', 'Here is the needle'],
    ['reference=order-17', 'Order 69 is on its way'],
    ['number=%2B4915110000007', '+4915110000007'],
    ['direction=inbound&number=%2B4915110000003', 'received'],
    ['state=canceled', 'No matches for this filter'],
  ])('the first page of %s is shown within 300 ms, and it finds what fits', async (query, finds) => {
    expect(await minShownAfterMs(query)).toBeLessThanOrEqual(longestMs)
    await tab.page.locator('main').getByText(finds).first().waitFor()
  })

  test('scrolling to the end reads every message once, and keeps few rows on the page', async () => {
    const { page } = tab
    // Some 2,100 of them: all would be the same, a hundred times.
    const days = (0.4 * 100_000) / count
    const from = new Date(Date.now() - 20 * 86_400_000).toISOString()
    const to = new Date(Date.now() - (20 - days) * 86_400_000).toISOString()
    await tab.open(`${ada.place}/live/history?from=${from}&to=${to}`)
    await page.getByRole('row').nth(5).waitFor()
    const { ids, most, stuckAt } = await page.evaluate<Scrolled>(scrollThrough)
    expect(stuckAt).toBeNull()
    const { stored } = await ada.app.storage.read
      .selectFrom('messages')
      .select(({ fn }) => fn.countAll<number>().as('stored'))
      .where('created_at', '>=', Date.parse(from))
      .where('created_at', '<', Date.parse(to))
      .executeTakeFirstOrThrow()
    expect(ids).toBe(stored)
    expect(stored).toBeGreaterThan(2_000)
    expect(most).toBeLessThan(60)
    await page.getByText(/ in total$/).waitFor()
  })

  test('an export brings all of them, and tells how far it is', async () => {
    const { page } = tab
    await tab.open(`${ada.place}/live/history`)
    await page.getByRole('row').nth(5).waitFor()
    await page.evaluate(keepSaid)
    const coming = page.waitForEvent('download', { timeout: 50_000 })
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click()
    await page.getByText(`Done: ${shownCount} of ${shownCount} messages`).waitFor({ timeout: 50_000 })
    expect(await page.evaluate('[...said]')).toContainEqual(
      expect.stringMatching(new RegExp(`of ${shownCount} messages, .* so far\\.$`)),
    )
    const file = await readFile(await (await coming).path(), 'utf8')
    expect(file.split('\r\n')).toHaveLength(1 + count + 1)
    await tab.screenshot('history-export')
    await expectSound(tab)
  })
})
