import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueEmailLink } from '../../src/accounts/people/email-links.ts'
import { issueLink, type NewOneTimeLink } from '../../src/accounts/people/one-time-links.ts'
import { createIds } from '../../src/runtime/ids.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { emailLinkAddress, linkAddress } from '../../src/process/own-address.ts'
import { proveAddresses } from '../console/identity-house.ts'
import { expectSound, expectSoundInBothSchemes, widths } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { givePassword, testPassword } from './signed-in.ts'

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  await givePasskey(ada, { userId: ada.account.userId, id: 'psk_a', credential: 'c' })
})
afterAll(() => ada.stop())

const linkTo = async (wanted: Partial<NewOneTimeLink>): Promise<string> => {
  const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
  const { token } = await ada.app.storage.writer.write((tx) =>
    issueLink(tx, deps, { lifeMs: 3_600_000, actor: 'test', ...wanted } as NewOneTimeLink),
  )
  return linkAddress(ada.url, token)
}

test.each(widths)(
  'the pages before the console are sound at %i pixels, light and dark',
  async (width) => {
    const tab = await ada.browser.newPage({ width })
    await tab.open(`${ada.url}/sign-in`)
    const { userId } = await ada.openAccount(`Bob${width}`)
    const { userId: lostBy } = await ada.openAccount(`Eve${width}`)
    const {
      email,
      account: { accountId },
    } = ada
    const role = 'owner' as const
    const places: [name: string, address: string, heading: string][] = [
      ['sign-in', '/sign-in', 'Sign in to onesixty'],
      ['sign-up', '/sign-up', 'Create account'],
      ['reset', '/reset', 'Reset password'],
      ['set-up', await linkTo({ purpose: 'set-up', userId }), 'Welcome to onesixty'],
      ['reset-link', await linkTo({ purpose: 'reset', userId: lostBy }), 'Choose a new password'],
      [
        'join',
        await linkTo({ purpose: 'invitation', email: 'new@example.org', accountId, role }),
        'Join Ada',
      ],
      ['known', await linkTo({ purpose: 'invitation', email, accountId, role }), 'Join Ada'],
    ]
    for (const [name, address, heading] of places) {
      // From one link to another only what stands behind the `#` changes, which is no new page.
      await tab.follow('/sign-in')
      await tab.page.getByRole('heading', { name: 'Sign in to onesixty' }).waitFor()
      await tab.follow(address)
      await tab.page.getByRole('heading', { name: heading }).waitFor()
      await tab.page.getByRole('button').or(tab.page.getByRole('link')).first().waitFor()
      await expectSoundInBothSchemes(tab)
      await tab.screenshot(`before-${name}`)
      expect(await overflow(tab.page)).toBe(0)
    }
    await tab.page.context().close()
  },
  60_000,
)

test.each(widths)(
  'the pages of a person are sound at %i pixels, light and dark',
  async (width) => {
    const tab = await ada.signedIn({ width })
    await tab.open(ada.url)
    for (const [name, address, heading] of [
      ['first-steps', `/a/${ada.account.accountId}/test/start`, 'First steps'],
      ['members', `/a/${ada.account.accountId}/live/members`, 'Members'],
      ['profile', '/profile', 'Sessions'],
    ] as const) {
      await tab.follow(address)
      await tab.page.getByRole('heading', { name: heading, exact: true }).waitFor()
      await tab.page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      await expectSoundInBothSchemes(tab)
      await tab.screenshot(name)
      expect(await overflow(tab.page)).toBe(0)
    }
    await tab.page.context().close()
  },
  60_000,
)

test('who has chosen a new password is told of the passkeys that stay, and led to them', async () => {
  const tab = await ada.browser.newPage()
  const { page } = tab
  await proveAddresses(ada)
  await tab.open(await linkTo({ purpose: 'reset', userId: ada.account.userId }))
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByText('1 passkey still signs you in').waitFor()
  await page.waitForURL(/\/a\//)
  await expectSound(tab)
  await page.getByRole('link', { name: 'Review it' }).click()
  await page.getByRole('button', { name: /^Remove passkey The security key/ }).waitFor()
  await page.context().close()
})

test('who opens the first link to an address is told of the second factor and the passkeys that it removed', async () => {
  const tab = await ada.browser.newPage()
  const { page } = tab
  const { userId } = await ada.openAccount('Claimed')
  await givePassword(ada, userId)
  await givePasskey(ada, { userId, id: 'psk_b', credential: 'd' })
  await tab.open(await linkTo({ purpose: 'reset', userId }))
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByText('1 passkey was removed, added before this address was confirmed').waitFor()
  await expectSound(tab)
  await page.context().close()
})

test('the page that confirms an address names it, says what is wrong with a link, and asks again', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  const { email } = ada
  const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
  const link = { userId: ada.account.userId, email, lifeMs: 3_600_000, actor: 'test' }
  const { token } = await ada.app.storage.writer.write((tx) => issueEmailLink(tx, deps, link))
  await tab.open(ada.url)
  await tab.follow(emailLinkAddress('', token))
  await page.getByText(`You will sign in as ${email}.`).waitFor()
  await expectSoundInBothSchemes(tab)
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await page.getByText(`You now sign in as ${email}.`).waitFor()
  await expectSound(tab)
  await page.reload()
  await page.getByText('This link was already used').waitFor()
  const reopen = (tx: Tx) => tx.updateTable('email_links').set({ used_at: null }).execute()
  await ada.app.storage.writer.write(reopen)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(`You will sign in as ${email}.`).waitFor()
  await page.context().close()
})

test('the keyboard alone signs in, in the order of the page', async () => {
  const tab = await ada.browser.newPage()
  const { page } = tab
  await tab.open(`${ada.url}/sign-in`)
  await page.getByLabel('E-mail address').waitFor()
  const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('autocomplete') ?? ''`)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('username webauthn')
  await page.keyboard.type(ada.email)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('current-password')
  await page.keyboard.type(testPassword)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/a\//)
  await page.context().close()
})

/** A passkey with a long name, to be seen in its list. */
const givePasskey = (
  { app }: Ada,
  { userId, id, credential }: { userId: string; id: string; credential: string },
): Promise<unknown> => {
  const at = Date.now()
  const passkey = {
    id,
    user_id: userId,
    credential_id: credential,
    public_key: 'k',
    counter: 0,
    transports: 'usb',
    is_synced: 1,
    name: `The security key that hangs at my keys ${'m'.repeat(40)}`,
    created_at: at - 86_400_000,
    last_used_at: at - 3_600_000,
  } as const
  return app.storage.writer.write((tx) => tx.insertInto('passkeys').values(passkey).execute())
}

/** By how many pixels a page is wider than its window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>(`Math.max(0, document.documentElement.scrollWidth - window.innerWidth)`)
