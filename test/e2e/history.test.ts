import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths } from './browser.ts'
import { type HistoryHouse, openHistoryHouse, rowOf } from './history-house.ts'

let house: HistoryHouse
beforeAll(async () => {
  house = await openHistoryHouse()
})
afterAll(() => house.stop())

const send: HistoryHouse['send'] = (body) => house.send(body)
const open: HistoryHouse['open'] = (query, options) => house.open(query, options)

test('an empty history shows how to send; what is sent appears and turns delivered without a reload', async () => {
  const tab = await open()
  const { page } = tab
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  await page.getByText(`${house.url}/api/v1/send`).waitFor()
  await expectSound(tab)
  await tab.screenshot('history-empty')

  house.gate.hold()
  await send({ text: 'The first one', client_reference: 'order-1' })
  await rowOf(tab, 'The first one')
    .getByText(/^(queued|sending)$/)
    .waitFor()
  house.gate.letGo()
  await rowOf(tab, 'The first one').getByText('delivered').waitFor()
  await expectSound(tab)
  await tab.screenshot('history-live')

  await rowOf(tab, 'The first one').getByRole('link').click()
  await page.getByRole('heading', { name: 'To +15005550006' }).waitFor()
  for (const word of ['Accepted', 'Submitted', 'Sent', 'Delivered'])
    await page.getByRole('region', { name: 'Timeline' }).getByText(word).first().waitFor()
  await page.getByRole('region', { name: 'Details' }).getByText('1 SMS charged').waitFor()
  await expectSound(tab)
  await tab.screenshot('message')
  await page.context().close()
})

test('while the page is scrolled nothing moves: new messages are announced, and shown when asked for', async () => {
  for (let i = 0; i < 30; i++) await send({ text: `Earlier ${i}` })
  const tab = await open()
  const { page } = tab
  await rowOf(tab, 'Earlier 29').waitFor()
  await page.evaluate('scrollTo({ top: 600 })')
  const place = async () => (await rowOf(tab, 'Earlier 10').boundingBox())?.y
  const before = await place()
  await send({ text: 'News 1' })
  await send({ text: 'News 2' })
  await page.getByRole('button', { name: '2 new' }).waitFor()
  expect(await place()).toBe(before)
  expect(await rowOf(tab, 'News 1').count()).toBe(0)
  await page.getByRole('button', { name: '2 new' }).click()
  await rowOf(tab, 'News 2').waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('the address holds the filter: it is set by clicks and by typing, shared, taken away, and what is nonsense in it is passed over', async () => {
  await send({ to: '+15005550002', text: 'Nobody is there', client_reference: 'order-2' })
  await send({ text: 'Another text' })
  const tab = await open('?state=nonsense&device=5&number=%2B15005550002')
  const { page } = tab
  await rowOf(tab, 'Nobody is there').getByText('undelivered').waitFor()
  expect(await rowOf(tab, 'Another text').count()).toBe(0)
  await page.getByRole('button', { name: 'Remove filter: number +15005550002' }).click()
  await rowOf(tab, 'Another text').waitFor()
  await page.getByRole('button', { name: 'Not delivered' }).click()
  await rowOf(tab, 'Another text').waitFor({ state: 'detached' })
  expect(page.url()).toContain('state=')
  await page.getByRole('searchbox').fill('NOBODY is')
  await page.getByRole('searchbox').press('Enter')
  await page.getByText('text “NOBODY is”').waitFor()
  await rowOf(tab, 'Nobody is there').waitFor()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Reference').fill('order-9')
  await expectSound(tab)
  await tab.screenshot('history-filters')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('No matches for this filter').waitFor()
  await expectSound(tab)
  await tab.screenshot('history-no-match')
  await page.reload()
  await page.getByText('No matches for this filter').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rowOf(tab, 'Another text').waitFor()
  await page.context().close()
})

test('a message that failed says why and what to do, shows itself as curl, and is sent again once', async () => {
  const id = await send({ to: '+15005550002', text: 'It’s for you', client_reference: 'again' })
  const tab = await house.signedIn()
  const { page } = tab
  await tab.open(house.addressOf(`/${id}`))
  await page.getByRole('heading', { name: 'Handset unreachable' }).waitFor()
  await page.getByText('Send again later, or use another way to reach the recipient.').waitFor()
  await expectSound(tab)
  await tab.screenshot('message-failed')
  await page.getByRole('button', { name: 'Show as curl' }).click()
  await page.getByRole('region', { name: 'curl command' }).getByText('YOUR_API_KEY').waitFor()
  await expectSound(tab)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('button', { name: 'Send again to +15005550002' }).dblclick()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByRole('region', { name: 'Details' }).getByText('Ada', { exact: true }).waitFor()
  await tab.follow(house.addressOf('?reference=again'))
  await page.getByText('2 messages in total').waitFor()
  await tab.follow(house.addressOf('/msg_01k9ktqv1hfm3se9a0x5rtb8vq'))
  await page.getByText('Message not found in this account').waitFor()
  expect(await tab.axe()).toEqual([])
  await page.context().close()
})

test.each(widths)(
  'history and a message are sound at %i pixels, light and dark, and can be gone through by keyboard',
  async (width) => {
    const id = await send({
      text: `${'A text that is long enough to be cut. '.repeat(8)}€`,
      client_reference: 'long',
    })
    const tab = await open('', { width })
    const { page } = tab
    const links = page.locator('[data-message]')
    await links.nth(1).waitFor()
    // From the first key on the focus is the person's, and no page that arrives moves it.
    await page.keyboard.press('Tab')
    await links.first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(focused)).toBe(await links.nth(1).getAttribute('data-message'))
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate(focused)).toBe(id)
    const table = page.getByRole('table', { name: 'Messages, newest first' })
    await page.setViewportSize({ width: width === 390 ? 1440 : 390, height: 844 })
    await table.waitFor({ state: width === 390 ? 'attached' : 'detached' })
    expect(await page.evaluate(focused)).toBe(id)
    await page.setViewportSize({ width, height: 844 })
    await table.waitFor({ state: width === 390 ? 'detached' : 'attached' })
    expect(await page.evaluate(focused)).toBe(id)
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('history')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate(focused)).toBe(id)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname.endsWith(id))
    await page.getByText(id, { exact: true }).waitFor()
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('message')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.context().close()
  },
  60_000,
)

const focused = 'document.activeElement.dataset.message'
