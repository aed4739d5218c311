import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

test('an owner invites by a link, the new person joins as a member and leaves, and the only owner cannot', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/live/members`)
  await page.getByRole('button', { name: 'Invite user' }).click()
  await page.getByLabel('E-mail address').fill('bob@example.org')
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('invite')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = (await page.getByTestId('invitation-link').textContent()) ?? ''
  await page.getByRole('cell', { name: 'bob@example.org', exact: true }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectSound(tab)
  await tab.screenshot('members')

  const guest = await ada.browser.newPage({ width: 390, colorScheme: 'dark' })
  await guest.open(link)
  await guest.page.getByRole('heading', { name: 'Join Ada' }).waitFor()
  await expectSound(guest)
  await guest.screenshot('invitation')
  await guest.page.getByLabel('Name').fill('Bob')
  await guest.page.getByLabel(/^Password/).fill('gelber Igel im Schnee')
  await guest.page.getByRole('button', { name: 'Join Ada' }).click()
  await guest.page.waitForURL(new RegExp(`/a/${ada.account.accountId}/`))
  await guest.follow(`${ada.place}/live/members`)
  await guest.page.getByRole('button', { name: 'Leave account' }).waitFor()
  expect(await guest.page.getByRole('button', { name: 'Invite user' }).count()).toBe(0)
  await expectSound(guest)
  await guest.screenshot('members')
  await guest.page.getByRole('button', { name: 'Leave account' }).click()
  await guest.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await guest.page.getByRole('heading', { name: 'No account yet' }).waitFor()
  await expectSound(guest)
  await guest.screenshot('no-account')
  await guest.page.context().close()

  await page.getByRole('button', { name: 'Leave account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByText('only owner').waitFor()
  await page.context().close()
})

test('who lost the password is told how to come back, and a link that is none is refused in words', async () => {
  const tab = await ada.browser.newPage()
  const { page } = tab
  await tab.open(`${ada.url}/sign-in`)
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByText('onesixty user reset-link').waitFor()
  await expectSound(tab)
  await tab.screenshot('reset')
  await tab.open(`${ada.url}/link#nothing`)
  await page.getByRole('heading', { name: 'Invalid link' }).waitFor()
  await page.getByRole('alert').getByText('Unknown link').waitFor()
  expect(await tab.axe()).toEqual([])
  await page.context().close()
})
