import { afterAll, beforeAll, expect, test } from 'vitest'
import { pickedOf } from '../../console/src/ui/local-time.ts'
import { expectSound, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

const dayMs = 86_400_000

/** An instant so many days ahead, to the minute. */
const ahead = (days: number): number => Date.now() - (Date.now() % 60_000) + days * dayMs
/** As the browser shows it: not in the zone of this process, so that neither is taken for the other. */
const shownIn = async ({ page }: TestPage, atMs: number): Promise<string> =>
  pickedOf(atMs, await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')).local

async function open(path: string, heading: string, width: 390 | 1440 = 1440): Promise<TestPage> {
  const tab = await ada.signedIn({ width })
  await tab.open(`${ada.place}/test/${path}`)
  await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  return tab
}

const scheduled = () =>
  ada.app.storage.read
    .selectFrom('messages')
    .select(['id', 'status', 'send_at', 'text'])
    .where('status', '=', 'scheduled')
    .orderBy('id')
    .execute()

test('a text is scheduled for tomorrow, found in History, moved from its row and canceled on its page', async () => {
  const tab = await open('send', 'Send')
  const { page } = tab
  await page.getByLabel(/^To/).fill('+15005550006')
  await page.getByLabel(/^Text/).fill('See you tomorrow')
  await page.getByRole('button', { name: 'Options' }).click()
  const tomorrow = ahead(1)
  await page.getByLabel('Send at', { exact: true }).fill(await shownIn(tab, tomorrow))
  await page.getByText(/In .+ \(UTC[+−]/).waitFor()
  await expectSound(tab)
  await tab.screenshot('send-schedule')
  await page.getByRole('button', { name: 'Schedule message' }).click()
  await page.getByText('to be sent at').waitFor()
  const [message] = await scheduled()
  expect(message?.send_at).toBe(tomorrow)

  await tab.follow(`${ada.place}/test/history?state=scheduled`)
  const row = page.getByRole('row').filter({ hasText: 'See you tomorrow' })
  await row.getByRole('button', { name: 'Change message to +15005550006' }).click()
  await page.getByRole('menuitem', { name: 'Reschedule…' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('history-scheduled')
  await page.getByRole('menuitem', { name: 'Reschedule…' }).click()
  const dayAfter = ahead(2)
  await page.getByLabel('Send at', { exact: true }).fill(await shownIn(tab, dayAfter))
  await expectSound(tab)
  await tab.screenshot('message-move')
  await page.getByRole('button', { name: 'Reschedule message to +15005550006' }).click()
  await page.getByText(/^Rescheduled to/).waitFor()
  expect((await scheduled())[0]?.send_at).toBe(dayAfter)

  await row.getByRole('link').click()
  await page.getByRole('heading', { name: 'To +15005550006' }).waitFor()
  // Without what was announced before.
  await page.reload()
  await page.getByRole('region', { name: 'Timeline' }).getByText('Accepted, scheduled').waitFor()
  await page.getByRole('button', { name: 'Reschedule' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('message-scheduled')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel message to +15005550006' }).click()
  await page.getByText('Canceled. Nothing was sent').waitFor()
  expect(await scheduled()).toEqual([])
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('a table is scheduled as a whole, and its rows can be canceled on a narrow screen', async () => {
  const tab = await open('send', 'Send')
  const { page } = tab
  await page.getByText('Table (CSV)').click()
  await page.getByLabel('Or paste rows').fill('number,name\n+15005550006,Ada\n+4915112345678,Bob')
  await page.getByLabel(/^Text/).fill('Hi {{name}}')
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Send at', { exact: true }).fill(await shownIn(tab, ahead(3)))
  await page.getByRole('button', { name: 'Schedule 2 messages for 2 SMS' }).click()
  await page.getByText('2 accepted, 0 rejected').waitFor()
  expect(new Set((await scheduled()).map(({ text }) => text))).toEqual(new Set(['Hi Ada', 'Hi Bob']))
  await page.context().close()

  const narrow = await open('history', 'History', 390)
  await narrow.page.getByRole('button', { name: 'Change message to +4915112345678' }).click()
  await narrow.page.getByRole('menuitem', { name: 'Cancel…' }).click()
  await expectSound(narrow)
  await narrow.screenshot('history-cancel-narrow')
  await narrow.page.getByRole('button', { name: 'Cancel message to +4915112345678' }).click()
  await narrow.page.getByText('Canceled. Nothing was sent').waitFor()
  expect(await scheduled()).toHaveLength(1)
  expect(narrow.faults).toEqual([])
  await narrow.page.context().close()
})
