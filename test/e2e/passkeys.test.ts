import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { signIn, testPassword } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
})
afterAll(() => ada.stop())

/** A device with a lock that recognises its owner, in the browser of a page. */
async function giveDevice(page: Page): Promise<{ device: CDPSession; authenticatorId: string }> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { device, authenticatorId }
}
const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'accounts and sign-out' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in$/)
}

test('a person adds a passkey, signs in by it, and removes it', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  const { device, authenticatorId } = await giveDevice(page)
  // This device takes at once what a browser only offers; here the button is what is pressed.
  await page.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)',
  )
  await tab.open(`${ada.url}/profile`)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel(/^Password/).fill(testPassword)
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('add-passkey')
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Laptop' })
  await row.getByText('never').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await expectSound(tab)
  await tab.screenshot('passkeys')
  const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId })
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
  const password = page.getByRole('region', { name: 'Password' })
  await password.getByLabel(/^Current password/).fill(testPassword)
  await password.getByLabel(/^New password/).fill(testPassword)
  await password.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('1 passkey still signs you in').waitFor()
  await expectSound(tab)
  await tab.screenshot('passkey-stays')

  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await signOut(page)
  const byPasskey = page.getByRole('button', { name: 'Use a passkey' })
  await byPasskey.click()
  await page.getByText('No passkey was used').waitFor()
  expect(await tab.axe()).toEqual([])
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await byPasskey.click()
  await page.waitForURL(/\/a\//)
  await tab.follow('/profile')
  await row.waitFor()
  expect(await row.getByText('never').count()).toBe(0)

  await page.getByRole('button', { name: 'Remove passkey Laptop' }).click()
  await dialog.getByLabel(/^Password/).fill(testPassword)
  expect(await tab.axe()).toEqual([])
  await dialog.getByRole('button', { name: 'Remove passkey' }).click()
  await row.waitFor({ state: 'detached' })
  await expectSound(tab)
  await signOut(page)
  await byPasskey.click()
  await page.getByRole('alert').getByText('Unknown passkey').waitFor()
  await page.context().close()
})

test('a browser offers the passkey where the address is typed, and its owner is in', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await giveDevice(page)
  await tab.open(`${ada.url}/profile`)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Password/).fill(testPassword)
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Remove passkey Chrome' }).waitFor()
  await page.context().clearCookies()
  await tab.open(`${ada.url}/sign-in`)
  await page.waitForURL(/\/a\//)
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('at another address of the service the pages say where passkeys work', async () => {
  const tab = await ada.browser.newPage({ width: 390, colorScheme: 'dark' })
  const { page } = tab
  const url = ada.url.replace('localhost', '127.0.0.1')
  await tab.open(`${url}/sign-in`)
  await page.getByText(`Passkeys work at ${ada.url}`).waitFor()
  await expectSound(tab)
  expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  await signIn(tab, { ...ada, url }, ada.email)
  await tab.open(`${url}/profile`)
  await page.getByText(`Passkeys work at ${ada.url}`).waitFor()
  await expectSound(tab)
  await tab.screenshot('no-passkeys-here')
  await page.context().close()
})
