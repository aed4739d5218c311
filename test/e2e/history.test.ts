import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenedAccount } from '../../src/open-account.ts'
import { startApp, type TestApp } from '../harness.ts'
import { expectSound, openBrowser, type TestBrowser, type TestPage } from './browser.ts'
import { givePassword, signIn } from './signed-in.ts'

let app: TestApp
let browser: TestBrowser
let account: OpenedAccount
let email: string

beforeAll(async () => {
  app = await startApp()
  account = await app.openAccount('Ada')
  email = (await givePassword(app, account.userId)).email
  browser = await openBrowser()
}, 60_000)
afterAll(async () => {
  await browser.close()
  await app.stop()
})

/** Sends with the test key, whose simulator delivers after about three seconds. */
async function send(body: object = {}): Promise<string> {
  const answer = await app.client.send(account.testKey, { to: '+15005550006', text: 'Hello', ...body })
  expect(answer.status).toBe(202)
  return answer.body.messages[0]?.id as string
}

const historyOf = (query = ''): string => `${app.url}/a/${account.accountId}/test/history${query}`

async function openHistory(tab: TestPage, query = ''): Promise<void> {
  await signIn(tab, app, email)
  await tab.page.goto(historyOf(query))
  await tab.page.getByRole('heading', { name: 'History' }).waitFor()
}

const rowOf = ({ page }: TestPage, text: string) => page.getByRole('row').filter({ hasText: text })

test('an empty history shows how to send; what is sent appears and turns delivered without a reload', async () => {
  const tab = await browser.newPage()
  const { page } = tab
  await openHistory(tab)
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  await page.getByText(`${app.url}/api/v1/send`).waitFor()
  await expectSound(tab)
  await tab.screenshot('history-empty')

  await send({ text: 'The first one', client_reference: 'order-1' })
  await rowOf(tab, 'The first one').getByText('delivered').waitFor()
  await expectSound(tab)
  await tab.screenshot('history-live')

  await rowOf(tab, 'The first one').getByRole('link').click()
  await page.getByRole('heading', { name: 'To +15005550006' }).waitFor()
  for (const word of ['Accepted', 'Handed over', 'Sent', 'Delivered'])
    await page.getByRole('region', { name: 'Timeline' }).getByText(word).first().waitFor()
  await page.getByRole('region', { name: 'Details' }).getByText('1 SMS charged').waitFor()
  await expectSound(tab)
  await tab.screenshot('message')
  await page.context().close()
}, 60_000)
