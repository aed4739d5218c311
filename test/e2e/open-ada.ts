import type { OpenedAccount } from '../../src/app/open-account.ts'
import { startApp, type TestApp } from '../harness.ts'
import { openBrowser, type PageOptions, type TestBrowser, type TestPage } from './browser.ts'
import { givePassword, signIn } from './signed-in.ts'
import { setTestDevice } from './test-device.ts'

/** The whole program, a browser, and Ada, who has an account and a password. */
export interface Ada extends TestApp {
  browser: TestBrowser
  account: OpenedAccount
  email: string
  /** The address of her account; the mode and the page come behind it. */
  place: string
  /** A tab of its own in which she is signed in. */
  signedIn(options?: PageOptions): Promise<TestPage>
}

/** Starts all that a test of the console's pages needs. */
export async function openAda(...how: Parameters<typeof startApp>): Promise<Ada> {
  const app = await startApp(...how)
  await setTestDevice(app, { delay_ms: '0' })
  const account = await app.openAccount('Ada')
  const { email } = await givePassword(app, account.userId)
  const browser = await openBrowser()
  return {
    ...app,
    browser,
    account,
    email,
    place: `${app.url}/a/${account.accountId}`,
    async signedIn(options) {
      const tab = await browser.newPage(options)
      await signIn(tab, app, email)
      return tab
    },
    async stop() {
      await browser.close()
      await app.stop()
    },
  }
}
