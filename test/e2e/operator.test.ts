import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { expectSound, openBrowser, type TestBrowser } from './browser.ts'
import { givePassword, signIn } from './signed-in.ts'

let app: TestApp
let browser: TestBrowser
let operator: string
let ada: string

beforeAll(async () => {
  app = await startApp()
  const { userId } = await app.openAccount('Olga')
  operator = (await givePassword(app, userId)).email
  const other = await app.openAccount('Ada')
  ada = (await givePassword(app, other.userId)).email
  await app.app.storage.writer.write((tx) =>
    tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute(),
  )
  browser = await openBrowser()
}, 60_000)
afterAll(async () => {
  await browser.close()
  await app.stop()
})

test('the operator finds an account, grants it SMS, suspends it, and sees it in the audit log', async () => {
  const tab = await browser.newPage()
  const { page } = tab
  await signIn(tab, app, operator)
  await page.goto(`${app.url}/operator`)
  await page.getByRole('searchbox', { name: 'Search accounts' }).fill('ada@')
  const row = page.getByRole('row').filter({ hasText: 'ada@example.org' })
  await row.getByRole('button', { name: 'Change Ada' }).click()
  await page.getByRole('menuitem', { name: 'Grant SMS' }).click()
  await page.getByLabel(/^SMS/).fill('90')
  await page.getByLabel(/^Note/).fill('Welcome')
  await expectSound(tab)
  await tab.screenshot('operator-grant')
  await page.getByRole('button', { name: 'Grant to Ada' }).click()
  await row.getByText('100 of 100').waitFor()
  await row.getByRole('button', { name: 'Change Ada' }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'Suspend Ada' }).click()
  await row.getByText('suspended').waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('account.suspended').waitFor()
  await page.getByText('balance.granted').waitFor()
  await expectSound(tab)
  await tab.screenshot('operator-audit')
  await page.context().close()
})

test('a new account is opened with a link for its owner', async () => {
  const tab = await browser.newPage()
  const { page } = tab
  await signIn(tab, app, operator)
  await page.goto(`${app.url}/operator`)
  await page.getByRole('button', { name: 'Open an account' }).click()
  await page.getByLabel(/^Name/).fill('Newcomer')
  await page.getByLabel(/^E-mail address/).fill('new@example.org')
  await page.getByRole('button', { name: 'Open the account' }).click()
  await page.getByText('/link#').waitFor()
  await expectSound(tab)
  await page.context().close()
})

test('a number is erased from every account once it was typed twice', async () => {
  const number = '+15005550006'
  const { testKey } = await app.openAccount('Sender')
  const answer = await fetch(`${app.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: number, text: 'A secret' }),
  })
  const { messages } = (await answer.json()) as { messages: { id: string }[] }
  const readMessage = () =>
    app.app.storage.read
      .selectFrom('messages')
      .select(['status', 'recipient', 'text'])
      .where('id', '=', messages[0]?.id ?? '')
      .executeTakeFirstOrThrow()
  await expect.poll(async () => (await readMessage()).status, { timeout: 10_000 }).toBe('delivered')
  const tab = await browser.newPage()
  const { page } = tab
  await signIn(tab, app, operator)
  await page.goto(`${app.url}/operator`)
  await page.getByRole('button', { name: 'Erase a number' }).click()
  await page.getByLabel('Number', { exact: true }).fill(number)
  await page.getByLabel('The same number again').fill(number)
  await page.getByRole('button', { name: `Erase ${number}` }).click()
  await page.getByText('1 messages erased').waitFor()
  const message = await readMessage()
  expect(message.text).toBeNull()
  expect(message.recipient).not.toContain('5550006')
  await expectSound(tab)
  await page.context().close()
})

test('whoever is no operator finds nothing there', async () => {
  const tab = await browser.newPage()
  await signIn(tab, app, ada)
  await tab.page.goto(`${app.url}/operator`)
  await tab.page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  expect(tab.faults).toEqual([])
  await tab.page.context().close()
})

test.each([
  [390, 'dark'],
  [390, 'light'],
  [1440, 'dark'],
  [1440, 'light'],
] as const)('the pages are sound at %i pixels, %s', async (width, colorScheme) => {
  const tab = await browser.newPage({ width, colorScheme })
  const { page } = tab
  await signIn(tab, app, operator)
  for (const [path, heading] of [
    ['', 'Accounts'],
    ['/health', 'Health of the instance'],
    ['/audit', 'Audit log'],
  ] as const) {
    await page.goto(`${app.url}/operator${path}`)
    await page.getByRole('heading', { name: heading }).waitFor()
    await page
      .getByText(path === '/health' ? 'Flush of a commit' : 'Ada')
      .first()
      .waitFor()
    await expectSound(tab)
    await tab.screenshot(`operator${path.replace('/', '-')}`)
  }
  await page.context().close()
})
