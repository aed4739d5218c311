import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths, type PageOptions, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { givePassword, makeOperator, signIn } from './signed-in.ts'

let ada: Ada
let operator: string

beforeAll(async () => {
  ada = await openAda()
  const { userId } = await ada.openAccount('Olga')
  operator = (await givePassword(ada, userId)).email
  await makeOperator(ada, userId)
})
afterAll(() => ada.stop())

async function openOperator(options?: PageOptions, path = ''): Promise<TestPage> {
  const tab = await ada.browser.newPage(options)
  await signIn(tab, ada, operator)
  await tab.open(`${ada.url}/operator${path}`)
  return tab
}

test('the operator finds an account, grants it SMS, suspends it, and sees it in the audit log', async () => {
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('searchbox', { name: 'Search accounts' }).fill('ada@')
  const row = page.getByRole('row').filter({ hasText: 'ada@example.org' })
  await row.getByRole('button', { name: 'Change Ada' }).click()
  await page.getByRole('menuitem', { name: 'Grant SMS' }).click()
  await page.getByLabel(/^SMS/).fill('90')
  await page.getByLabel(/^Note/).fill('Welcome')
  await expectSound(tab)
  await tab.screenshot('operator-grant')
  await page.getByRole('button', { name: 'Grant SMS to Ada' }).click()
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

test('the operator names the countries of an account, its quiet hours and the limits of its guard', async () => {
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('searchbox', { name: 'Search accounts' }).fill('ada@')
  const row = page.getByRole('row').filter({ hasText: 'ada@example.org' })
  const open = async (what: string) => {
    await row.getByRole('button', { name: 'Change Ada' }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }
  await open('Edit countries and quiet hours')
  await page.getByLabel('Countries', { exact: true }).selectOption('some')
  await page.getByLabel('Country codes').fill('de, AT')
  await page.getByLabel('Quiet from').fill('21:00')
  await page.getByLabel('Quiet until').fill('08:00')
  await expectSound(tab)
  await tab.screenshot('operator-reach')
  await page.getByRole('button', { name: 'Save settings of Ada' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await open('Edit what own devices cost')
  await page.getByLabel('Messages over own phones, modems and links').selectOption('free')
  await expectSound(tab)
  await page.getByRole('button', { name: 'Save settings of Ada' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await open('Edit plan')
  await page.getByLabel('Plan', { exact: true }).fill('pro')
  await expectSound(tab)
  await page.getByRole('button', { name: 'Save plan of Ada' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Plan: pro').waitFor()
  await open('Edit limits')
  await page.getByLabel('Messages to one number per hour').fill('20')
  await expectSound(tab)
  await tab.screenshot('operator-limits')
  await page.getByRole('button', { name: 'Save limits of Ada' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const account = ada.app.storage.read
    .selectFrom('accounts')
    .select(['countries', 'quiet_from', 'quiet_until', 'number_per_hour', 'own_devices', 'plan'])
    .where('name', '=', 'Ada')
  expect(await account.executeTakeFirst()).toEqual({ countries: 'AT,DE', quiet_from: 1_260, quiet_until: 480, number_per_hour: 20, own_devices: 'free', plan: 'pro' }) // prettier-ignore
  await page.context().close()
})

test('a new account is opened with a link for its owner', async () => {
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByLabel(/^Name/).fill('Newcomer')
  await page.getByLabel(/^E-mail address/).fill('new@example.org')
  await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click()
  await page.getByText('/link#').waitFor()
  await expectSound(tab)
  await page.context().close()
})

test('somebody is invited, opens an account of their own by the link, and is on the list no more', async () => {
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('button', { name: 'Invite user' }).click()
  await page.getByLabel(/^E-mail address/).fill('gus@example.org')
  await expectSound(tab)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = (await page.getByTestId('invitation-link').textContent()) ?? ''
  await page.keyboard.press('Escape')
  await page.getByRole('cell', { name: 'gus@example.org', exact: true }).waitFor()
  await expectSound(tab)
  await tab.screenshot('operator-invitation')

  const guest = await ada.browser.newPage({ width: 390, colorScheme: 'dark' })
  await guest.open(link)
  await guest.page.getByRole('heading', { name: 'You are invited to onesixty' }).waitFor()
  await expectSound(guest)
  await guest.screenshot('invitation-to-open')
  await guest.page.getByLabel('Name').fill('Gus Ltd')
  await guest.page.getByLabel(/^Password/).fill('gelber Igel im Schnee')
  await guest.page.getByRole('button', { name: 'Create account' }).click()
  await guest.page.getByRole('heading', { name: 'First steps' }).waitFor()
  await guest.page.getByText('Gus Ltd').first().waitFor()
  await expectSound(guest)
  await guest.page.context().close()

  await page.reload()
  await page.getByRole('cell', { name: 'gus@example.org' }).waitFor()
  expect(await page.getByRole('button', { name: /^Revoke invitation/ }).count()).toBe(0)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('a token for a program is made, shown once, works, names itself in the audit log, and is revoked', async () => {
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByText('No API tokens yet').waitFor()
  await expectSound(tab)
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel(/^Name/).fill('Billing')
  await page.getByLabel('Permissions').selectOption('write')
  await expectSound(tab)
  await tab.screenshot('operator-token-form')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const token = (await page.getByTestId('new-token').textContent()) ?? ''
  const grant = () =>
    fetch(`${ada.url}/operator/v1/accounts/${ada.account.accountId}/grants`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'i',
      },
      body: JSON.stringify({ sms: 5, note: 'Invoice' }),
    })
  expect((await grant()).status).toBe(201)
  await expectSound(tab)
  await tab.screenshot('operator-token-new')
  await page.reload()
  expect(await page.getByTestId('new-token').count()).toBe(0)
  const row = page.getByRole('row').filter({ hasText: 'Billing' })
  await row.getByText('now').or(row.getByText('ago')).first().waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page
    .getByText(/Billing \(otk_/)
    .first()
    .waitFor()
  await tab.follow(`${ada.place}/live/balance`)
  await page.getByText('Invoice. By an API client of the operator.').waitFor()
  await tab.follow(`${ada.url}/operator/tokens`)
  await page.getByRole('button', { name: 'Revoke Billing' }).click()
  await page.getByRole('button', { name: 'Revoke token Billing' }).click()
  await row.getByText('revoked').waitFor()
  expect((await grant()).status).toBe(401)
  await page.context().close()
  const narrow = await openOperator({ width: 390, colorScheme: 'dark' }, '/tokens')
  await narrow.page.getByText('Billing').first().waitFor()
  await expectSound(narrow)
  await narrow.screenshot('operator-tokens')
  await narrow.page.context().close()
})

test('the operator adds a rule, is told what cannot be one, puts it before another, and removes it', async () => {
  const tab = await openOperator({}, '/rules')
  const { page } = tab
  await page.getByText('No rules yet').waitFor()
  const form = page.getByRole('dialog')
  const add = async (name: string, way: string) => {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await form.getByLabel(/^Name/).fill(name)
    await form.getByLabel(/^Way/).fill(way)
    await form.getByRole('button', { name: 'Add rule' }).click()
  }
  await add('Germany', 'own; shared after=5m')
  await form.waitFor({ state: 'detached' })
  await add('Premium', 'phone')
  await form.getByText("'phone' is no device").waitFor()
  // The browser says of the rejected form that it was rejected.
  tab.faults.splice(0)
  await form.getByLabel('Numbers that begin with').fill('4990')
  await form.getByLabel('Messages that match').selectOption('refuse')
  await expectSound(tab)
  await tab.screenshot('operator-rule')
  await form.getByRole('button', { name: 'Add rule' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Move Premium up' }).click()
  await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('to=4990')
  await tab.screenshot('operator-rules')
  await page.setViewportSize({ width: 390, height: 844 })
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('operator-rules-narrow')
  await page.getByRole('button', { name: 'Remove Germany' }).click()
  await page.getByRole('button', { name: 'Remove rule Germany' }).click()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  const rules = ada.app.storage.read.selectFrom('route_rules').select(['name', 'conditions', 'stages'])
  expect(await rules.execute()).toEqual([{ name: 'Premium', conditions: '{"to":["4990"]}', stages: null }])
  await page.context().close()
})

test('a number is erased from every account once it was typed twice', async () => {
  const number = '+15005550006'
  const { testKey } = await ada.openAccount('Sender')
  const { body } = await ada.client.send(testKey, { to: number, text: 'A secret' })
  const readMessage = () =>
    ada.app.storage.read
      .selectFrom('messages')
      .select(['status', 'recipient', 'text'])
      .where('id', '=', body.messages[0]?.id ?? '')
      .executeTakeFirstOrThrow()
  await expect.poll(async () => (await readMessage()).status, { timeout: 10_000 }).toBe('delivered')
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('button', { name: 'Erase number' }).click()
  await page.getByLabel('Number', { exact: true }).fill(number)
  await page.getByLabel('Repeat number').fill(number)
  await page.getByRole('button', { name: `Erase ${number}` }).click()
  await page.getByText('1 message erased').waitFor()
  const message = await readMessage()
  expect(message.text).toBeNull()
  expect(message.recipient).not.toContain('5550006')
  await expectSound(tab)
  await page.context().close()
})

test('an account is erased once its name was typed, and is known as erased', async () => {
  const { accountId } = await ada.openAccount('Forgotten')
  const tab = await openOperator()
  const { page } = tab
  await page.getByRole('searchbox', { name: 'Search accounts' }).fill(accountId)
  const row = page.getByRole('row').filter({ hasText: accountId })
  await row.getByRole('button', { name: 'Change Forgotten' }).click()
  await page.getByRole('menuitem', { name: 'Erase permanently' }).click()
  const erase = page.getByRole('button', { name: 'Erase Forgotten' })
  await page.getByLabel('Type Forgotten to confirm').fill('Forgot')
  expect(await erase.isDisabled()).toBe(true)
  await page.getByLabel('Type Forgotten to confirm').fill('Forgotten')
  await expectSound(tab)
  await tab.screenshot('operator-erase-account')
  await erase.click()
  await page.getByText('Account erased').waitFor()
  await expectSound(tab)
  await row.getByText('Erased account').waitFor()
  await row.getByText('closed').waitFor()
  await page.context().close()
})

test('whoever is no operator finds nothing there', async () => {
  const tab = await ada.signedIn()
  await tab.open(`${ada.url}/operator`)
  await tab.page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(tab.faults).toEqual([])
  await tab.page.context().close()
})

test.each(widths)('the pages are sound at %i pixels, light and dark', async (width) => {
  const tab = await openOperator({ width })
  const { page } = tab
  for (const [path, heading] of [
    ['', 'Accounts'],
    ['/health', 'Instance health'],
    ['/audit', 'Audit log'],
  ] as const) {
    await tab.follow(`/operator${path}`)
    await page.getByRole('heading', { name: heading }).waitFor()
    await page
      .getByText(path === '/health' ? 'Commit flush time' : 'Ada')
      .first()
      .waitFor()
    await expectSoundInBothSchemes(tab)
    await tab.screenshot(`operator${path.replace('/', '-')}`)
  }
  await page.context().close()
})
