import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

const stopping = '+15005550011'

test('a number that answers STOP becomes a conversation by itself, may not be answered, and is let back in', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/conversations`)
  await page.getByRole('heading', { name: 'No conversations yet' }).waitFor()
  await expectSound(tab)
  const answer = await fetch(`${ada.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.account.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: stopping, text: 'Shall we write to you?' }),
  })
  expect(answer.status, await answer.text()).toBe(202)
  await page.getByRole('link', { name: stopping }).click()
  const said = page.getByRole('list', { name: 'Messages, newest last' }).getByRole('listitem')
  await said.getByText('Shall we write to you?').waitFor()
  await said.getByText('STOP', { exact: true }).waitFor()
  expect(await said.count()).toBe(2)
  await page.getByText('This number has opted out').waitFor()
  await expectSound(tab)
  await tab.screenshot('conversation-stopped')

  // From the message to its conversation and back.
  await said.filter({ hasText: 'STOP' }).getByRole('link').click()
  await page.getByRole('heading', { name: `From ${stopping}` }).waitFor()
  await expectSound(tab)
  await page.getByRole('link', { name: 'Open conversation' }).click()

  await page.getByText('This number has opted out').waitFor()
  await page.getByRole('link', { name: 'View opt-outs' }).click()
  await page.getByRole('cell', { name: new RegExp(`^\\${stopping}`) }).waitFor()
  await page.getByRole('button', { name: `Remove ${stopping}` }).click()
  await page.getByRole('button', { name: `Remove opt-out of ${stopping}` }).click()
  await page.getByRole('heading', { name: 'No opt-outs' }).waitFor()

  await tab.follow(`${ada.place}/test/conversations/${encodeURIComponent(stopping)}`)
  await page.getByLabel(`Reply to ${stopping}`).fill('Welcome back')
  expect(await tab.axe()).toEqual([])
  await page.getByRole('button', { name: 'Send' }).click()
  await said.getByText('Welcome back').waitFor()
  await expectSound(tab)
  await tab.screenshot('conversation')
  await page.emulateMedia({ colorScheme: 'dark' })
  // Until then the page is half in the light.
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await expectSound(tab)
  await page.context().close()
})

test.each([
  [1440, 'light'],
  [390, 'dark'],
] as const)(
  'numbers are pasted, looked for and told apart from what is none, at %i pixels, %s',
  async (width, colorScheme) => {
    const tab = await ada.signedIn({ width, colorScheme })
    const { page } = tab
    const mode = width === 1440 ? 'live' : 'test'
    await tab.open(`${ada.place}/${mode}/opt-outs`)
    await page.getByRole('heading', { name: 'Opt-outs', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Add numbers' }).click()
    const lines = Array.from({ length: 620 }, (_, i) => `Name ${i};+49151${String(i).padStart(8, '0')}`)
    await page
      .getByLabel('Numbers', { exact: true })
      .fill(['name;number', ...lines.slice(0, 510), 'nobody', ...lines.slice(510)].join('\n'))
    expect(await tab.axe()).toEqual([])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('620 added').waitFor()
    await page.getByText('Line 512: There is no number in this line.').waitFor()
    await expectSound(tab)
    await tab.screenshot('opt-outs-added')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByLabel('Search by number').fill('0049 151 00000007')
    await page.getByRole('cell', { name: '+4915100000007', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    // One page has none beside it.
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0)
    await expectSound(tab)
    await page.getByLabel('Search by number').fill('+4915199999999')
    await page.getByText('No matches for this filter').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Older' }).waitFor()
    await expectSound(tab)
    await tab.screenshot('opt-outs')
    await page.context().close()
  },
)

test('an owner finds the quiet hours above the list of opt-outs, sets them and takes them away', async () => {
  const tab = await ada.signedIn({ width: 390, colorScheme: 'light' })
  const { page } = tab
  await tab.open(`${ada.place}/live/opt-outs`)
  await page.getByText('none, messages are sent at any hour').waitFor()
  const change = page.getByRole('button', { name: 'Change quiet hours' })
  const list = page.getByLabel('Search by number')
  expect((await change.boundingBox())?.y).toBeLessThan((await list.boundingBox())?.y ?? 0)
  await change.click()
  await page.getByLabel('Quiet from').fill('21:00')
  const save = page.getByRole('button', { name: 'Save quiet hours' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel('Quiet until').fill('08:00')
  await expectSound(tab)
  await tab.screenshot('quiet-hours')
  await save.click()
  await page.getByText('live messages wait from 21:00 until 08:00').waitFor()
  await change.click()
  expect(await page.getByLabel('Quiet from').inputValue()).toBe('21:00')
  await page.getByLabel('Quiet from').fill('')
  await page.getByLabel('Quiet until').fill('')
  await save.click()
  await page.getByText('none, messages are sent at any hour').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectSound(tab)
  await page.context().close()
})

test('an owner adds keywords in a language, is told at the field what is a STOP, and removes them', async () => {
  const tab = await ada.signedIn({ width: 390, colorScheme: 'light' })
  const { page } = tab
  await tab.open(`${ada.place}/live/opt-outs`)
  await page.getByText('built-in words only').waitFor()
  await page.getByRole('button', { name: 'Change keywords' }).click()
  await page.getByText('No keyword sets yet').waitFor()
  await page.getByRole('button', { name: 'Add language' }).click()
  await page.getByLabel('Language').fill('fr')
  const words = (label: string) => page.getByRole('combobox', { name: label })
  await words('STOP words').fill('Fini')
  await words('STOP words').press('Enter')
  for (const word of ['info!', 'stop']) {
    await words('START words').fill(word)
    await words('START words').press('Enter')
  }
  await page.getByLabel('Reply to STOP', { exact: true }).fill('Vous ne recevrez plus de messages.')
  await page.getByLabel('Reply to HELP', { exact: true }).fill('Boutique')
  for (const isOff of [true, false, true]) await page.getByLabel('No reply to HELP').setChecked(isOff)
  expect(await page.getByLabel('Reply to HELP', { exact: true }).inputValue()).toBe('Boutique')
  await page.getByRole('button', { name: 'Save keywords' }).click()
  await page.getByText("'info!' is a built-in word for HELP. 'stop' already means STOP.").waitFor()
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('keywords')
  for (const _ of ['stop', 'info!']) await words('START words').press('Backspace')
  await page.getByRole('button', { name: 'Save keywords' }).click()
  const french = page.getByRole('region', { name: 'fr: French' })
  await french.getByText('STOP: Fini', { exact: true }).waitFor()
  await french.getByText('Reply to HELP: none').waitFor()
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('keyword-sets')
  await page.getByRole('button', { name: 'Add language' }).click()
  await page.getByLabel('Language').fill('FRA')
  await page.getByRole('button', { name: 'Save keywords' }).click()
  await page.getByText("The account has a keyword set 'fr' already.").waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await french.getByRole('button', { name: 'Remove fr', exact: true }).click()
  await french.getByText('will no longer opt anyone out').waitFor()
  expect(await tab.axe()).toEqual([])
  await french.getByRole('button', { name: 'Keep fr' }).click()
  await french.getByRole('button', { name: 'Remove fr', exact: true }).click()
  await french.getByRole('button', { name: 'Remove fr and its STOP words' }).click()
  await page.getByText('No keyword sets yet').waitFor()
  await page.context().close()
})
