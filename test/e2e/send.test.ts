import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths, type PageOptions, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

const openSend = async (options?: PageOptions): Promise<TestPage> => {
  const tab = await ada.signedIn(options)
  await tab.open(`${ada.place}/test/send`)
  await tab.page.getByRole('heading', { name: 'Send' }).waitFor()
  return tab
}
const countMessages = async (): Promise<number> => {
  const { n } = await ada.app.storage.read
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

test('a text is counted while it is typed, priced by the server, and sent once by two clicks', async () => {
  const tab = await openSend()
  const { page } = tab
  await page.getByLabel(/^To/).fill('+15005550006')
  await page.getByLabel(/^Text/).fill(`“${'a'.repeat(100)}”`)
  await page.getByText('U+201C').waitFor()
  await expectSound(tab)
  await tab.screenshot('send-ucs2')
  await page.getByRole('button', { name: /Replace look-alikes: 1 part/ }).click()
  await page.getByRole('status', { name: 'Cost' }).getByText('1 SMS').waitFor()
  const before = await countMessages()
  await page.getByRole('button', { name: 'Send message' }).dblclick()
  await page.getByText('Accepted', { exact: true }).waitFor()
  expect(await countMessages()).toBe(before + 1)
  await tab.screenshot('send-accepted')
  await expectSound(tab)
  await page.context().close()
})

test('what was sent to two numbers is found by the link that the page gives', async () => {
  const tab = await openSend()
  const { page } = tab
  await page.getByLabel(/^To/).fill('+15005550006, +4915112345678')
  await page.getByLabel(/^Text/).fill('To both of you')
  await page.getByRole('button', { name: 'Send 2 messages' }).click()
  await page.getByRole('link', { name: 'View messages' }).click()
  await page.getByText('2 messages in total').waitFor()
  expect(new URL(page.url()).searchParams.get('send')).toMatch(/^snd_/)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('a table of 200 rows is sent with progress, its wrong rows are named, and every good row is one message', async () => {
  const tab = await openSend()
  const { page } = tab
  const rows = Array.from({ length: 200 }, (_, i) => `+4917${String(1_000_000 + i)},Name ${i}`)
  rows[7] = 'nobody,Bob'
  rows[9] = rows[8] ?? ''
  await page.getByText('Table (CSV)').click()
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`number,name\n${rows.join('\n')}\n`),
  })
  await page.getByLabel(/^Text/).fill('Hi {{name}}')
  await page.getByText('Row 9: nobody is not a number').waitFor()
  await page.getByText('is already in row 10').waitFor()
  expect(await page.getByTestId('preview').innerText()).toBe('Hi Name 0')
  await expectSound(tab)
  await tab.screenshot('send-table')
  const before = await countMessages()
  await page.getByRole('button', { name: 'Send 198 messages for 198 SMS' }).click()
  await page.getByText('198 accepted, 0 rejected, 2 skipped').waitFor()
  expect(await countMessages()).toBe(before + 198)
  await expectSound(tab)
  await tab.screenshot('send-table-report')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download report' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('onesixty-report.csv')
  await page.context().close()
})

test('a table that was cut off by a reload is not sent twice', async () => {
  const tab = await openSend()
  const { page } = tab
  const rows = Array.from({ length: 150 }, (_, i) => `+4916${String(1_000_000 + i)},N${i}`).join('\n')
  const fill = async (): Promise<void> => {
    await page.getByText('Table (CSV)').click()
    await page.getByLabel('Or paste rows').fill(`number,name\n${rows}`)
    await page.getByLabel(/^Text/).fill('Again {{name}}')
  }
  const before = await countMessages()
  await fill()
  // The first piece arrives, the answer to the second is lost.
  let calls = 0
  await page.route('**/send/rows**', async (route) => {
    calls += 1
    if (calls === 1) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('button', { name: /^Send 150 messages/ }).click()
  await page.getByRole('alert').getByText('Check that onesixty is running').waitFor()
  await page.unroute('**/send/rows**')
  expect(await page.getByLabel(/^Text/).isDisabled()).toBe(true)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await fill()
  await page.getByRole('button', { name: /^Send 150 messages/ }).click()
  await page.getByText('150 accepted, 0 rejected').waitFor()
  expect(await countMessages()).toBe(before + 150)
  await page.context().close()
})

test('who sends no more of a table is told which rows were not sent, and leaves only when asked', async () => {
  const tab = await openSend()
  const { page } = tab
  await page.getByText('Table (CSV)').click()
  const rows = Array.from({ length: 150 }, (_, i) => `+4915${String(1_000_000 + i)},N${i}`)
  await page.getByLabel('Or paste rows').fill(`number,name\n${rows.join('\n')}`)
  await page.getByLabel(/^Text/).fill('Part {{name}}')
  let calls = 0
  await page.route('**/send/rows**', (route) => (++calls === 1 ? route.continue() : route.abort()))
  await page.getByRole('button', { name: /^Send 150 messages/ }).click()
  await page.getByRole('alert').waitFor()
  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Stop sending' }).click()
  await page.getByText('100 accepted, 0 rejected, 50 not sent').waitFor()
  await tab.screenshot('send-table-given-up')
  expect(await tab.axe()).toEqual([])
  await page.getByRole('button', { name: 'Edit and send again' }).click()
  expect(await page.getByLabel(/^Text/).isDisabled()).toBe(false)
  await page.getByRole('link', { name: 'History' }).click()
  await page.waitForURL(/\/history/)
  await page.context().close()
})

test('a text that is changed after a lost answer is sent too, once it is said that the first one was', async () => {
  const { page } = await openSend()
  const before = await countMessages()
  await page.getByLabel(/^To/).fill('+15005550006')
  await page.getByLabel(/^Text/).fill('One thing')
  await page.route('**/send/one**', async (route) => {
    await route.fetch()
    return route.abort()
  })
  const send = page.getByRole('button', { name: 'Send message' })
  await send.click()
  await page.getByText('Check that onesixty is running').waitFor()
  await page.unroute('**/send/one**')
  await page.getByLabel(/^Text/).fill('Another thing')
  await send.click()
  await page.getByText('What you sent before your change was accepted').waitFor()
  expect(await countMessages()).toBe(before + 1)
  await send.click()
  await page.getByText('Accepted', { exact: true }).waitFor()
  expect(await countMessages()).toBe(before + 2)
  await page.context().close()
})

test.each(widths)('the page is sound at %i pixels, light and dark', async (width) => {
  const tab = await openSend({ width })
  const { page } = tab
  await page.getByLabel(/^To/).fill('+1')
  await page.getByLabel(/^Text/).fill('Привет')
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Reference').waitFor()
  await page.getByRole('alert').first().waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('send')
  await page.context().close()
})
