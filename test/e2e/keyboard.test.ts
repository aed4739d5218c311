import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths, type PageOptions, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { makeOperator } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

/** A page of the account, signed in, its first heading shown. */
async function visit(path: string, options?: PageOptions): Promise<TestPage> {
  const tab = await ada.signedIn(options)
  await tab.open(ada.place + path)
  await tab.page.locator('h1').waitFor()
  return tab
}

/** What has the focus, as people who hear the page are told it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `(({ activeElement: { tagName, innerText, ariaLabel, value } }) => tagName + ' ' + (ariaLabel || innerText.replace(/\\s+/g, ' ').trim() || value))(document)`,
  )

test('the tab key comes to the skip link first, and it leads over the navigation into the page', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('A Skip to content')
  await expectSound(tab)
  await tab.screenshot('skip-link')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('BUTTON Invite user')
  expect(page.url()).toBe(`${ada.place}/live/members`)
  await page.context().close()
})

test('a page that was gone to has the focus on its heading, and its name and the account in the title', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  expect(await page.title()).toBe('Members · Ada · onesixty')
  expect(await focused(page)).toMatch(/^BODY/)
  await page.getByRole('link', { name: 'History' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('H1 History')
  await expect.poll(() => page.title()).toBe('History · Ada · onesixty')
  await page.goBack()
  await expect.poll(() => focused(page)).toBe('H1 Members')
  await page.getByRole('radio', { name: 'Live' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(/\/test\/members/)
  await expect.poll(() => page.title()).toBe('Members · Ada (test) · onesixty')
  expect(await focused(page)).toMatch(/^INPUT/)
  await tab.open(`${ada.url}/profile`)
  await expect.poll(() => page.title()).toBe('Profile and security · onesixty')
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('the palette opens by its key, goes to a page by its name, and gives the focus back when it is left', async () => {
  const tab = await visit('/test/members')
  const { page } = tab
  const invite = page.getByRole('button', { name: 'Invite user' })
  await invite.focus()
  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: /^Pages, actions/ })
  await expect.poll(() => search.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
  expect(await page.getByRole('option', { selected: true }).innerText()).toMatch(/^Overview/)
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  expect(await focused(page)).toBe('BUTTON Invite user')
  await page.keyboard.press('Control+k')
  await search.waitFor()
  await page.keyboard.type('hist')
  await expect.poll(() => page.getByRole('option', { selected: true }).innerText()).toMatch(/^History/)
  await page.keyboard.press('ArrowDown')
  await expect
    .poll(() => page.getByRole('option', { selected: true }).innerText())
    .toMatch(/^Find “hist” in History/)
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => page.getByRole('option', { selected: true }).innerText()).toMatch(/^History/)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${ada.place}/test/history`)
  await expect.poll(() => focused(page)).toBe('H1 History')
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('the palette makes a key, switches the mode, finds a number and a message, and darkens the page', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  const run = async (words: string, label: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Pages, actions/ }).fill(words)
    await page.getByRole('option', { name: label }).click()
  }
  await page.getByRole('button', { name: 'Invite user' }).focus()
  await run('create key', /^Create live key/)
  await page.getByLabel(/^Name/).fill('Shop')
  await page.keyboard.press('Enter')
  expect(await page.getByTestId('new-key').innerText()).toMatch(/^onesixty_live_/)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('BUTTON Invite user')
  await run('switch', /^Switch to test mode/)
  await page.waitForURL(`${ada.place}/test/members`)
  await run('dark', /^Dark theme/)
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await run('+49 1512 3456789', /^Find \+4915123456789 in History/)
  await page.waitForURL(`${ada.place}/test/history?number=*`)
  const id = 'msg_01jd3xq2m4n5p6q7r8s9t0v1w2'
  await run(id, /^Open message/)
  await page.waitForURL(`${ada.place}/test/history/${id}`)
  await run('sign out', /^Sign out/)
  await page.waitForURL(`${ada.url}/sign-in`)
  await page.keyboard.press('Control+k')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.context().close()
})

test('who runs the instance finds its pages in the palette and the same header there, and nobody else does', async () => {
  const hasOperator = async ({ page }: TestPage): Promise<number> => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Pages, actions/ }).fill('operator')
    await page.getByRole('option', { name: /^Find “operator” in History/ }).waitFor()
    return page.getByRole('option', { name: /^Instance: / }).count()
  }
  const tab = await visit('/live/members')
  expect(await hasOperator(tab)).toBe(0)
  await tab.page.context().close()

  await makeOperator(ada, ada.account.userId)
  const other = await visit('/live/members')
  const { page } = other
  expect(await hasOperator(other)).toBe(5)
  await page.getByRole('option', { name: /^Instance: health/ }).click()
  await page.waitForURL(`${ada.url}/operator/health`)
  await expect.poll(() => focused(page)).toBe('H1 Instance health')
  for (const path of ['/operator/audit', '/profile']) {
    await other.open(ada.url + path)
    await page.locator('h1').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('A Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await page.getByRole('button', { name: /^Search/ }).click()
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await expectSound(other)
  }
  await page.context().close()
})

test('the question mark lists the keys, and single keys can be ended', async () => {
  const tab = await visit('/test/members')
  const { page } = tab
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('shortcuts')
  await page.getByRole('switch').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  // What a key opens stands two frames later.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  await page.context().close()
})

test('the header is gone through in the order in which it is read, and its menu gives the focus back', async () => {
  const tab = await visit('/live/members')
  const { page } = tab
  // The balance comes with the live stream, a moment after the frame.
  await page.getByRole('link', { name: '10 SMS' }).waitFor()
  const seen: string[] = []
  for (let stops = 0; stops < 6; stops += 1) {
    await page.keyboard.press('Tab')
    seen.push(await focused(page))
  }
  expect(seen).toEqual([
    'A Skip to content',
    'BUTTON Search… Ctrl+K',
    'A 10 SMS',
    'INPUT live',
    'BUTTON Ada: accounts and sign-out',
    'A Overview',
  ])
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await expectSound(tab)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('BUTTON Ada: accounts and sign-out')
  await page.context().close()
})

test.each(widths)('the palette is sound at %i pixels, light and dark', async (width) => {
  const tab = await visit('/test/members', { width })
  const { page } = tab
  await tab.screenshot('header')
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.getByRole('combobox', { name: /^Pages, actions/ }).fill('se')
  await page.getByRole('option', { name: /^Send/ }).waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('palette')
  await page.context().close()
})
