import { expect } from 'vitest'
import type { PageOptions, TestPage } from './browser.ts'
import { openAda } from './open-ada.ts'

/** A server whose owner looks at the history of its account. */
export interface HistoryHouse {
  url: string
  /** Sends with the test key, whose simulator delivers after about three seconds; gives the id of the first message. */
  send(body?: object): Promise<string>
  /** The messages of a reference by the API, the newest first. */
  messagesOf(reference: string): Promise<{ id: string; status: string }[]>
  /** Where the history is found, with what a query or a path adds. */
  addressOf(rest?: string): string
  signedIn(options?: PageOptions): Promise<TestPage>
  /** The history in a tab of its own. */
  open(query?: string, options?: PageOptions): Promise<TestPage>
  stop(): Promise<void>
}

export async function openHistoryHouse(): Promise<HistoryHouse> {
  const ada = await openAda({ ONESIXTY_PLAY_SMS: '10000' })
  const addressOf = (rest = ''): string => `${ada.place}/test/history${rest}`
  return {
    url: ada.url,
    addressOf,
    signedIn: (options) => ada.signedIn(options),
    stop: () => ada.stop(),
    async send(body = {}) {
      const answer = await ada.client.send(ada.account.testKey, {
        to: '+15005550006',
        text: 'Hello',
        ...body,
      })
      expect(answer.status).toBe(202)
      return answer.body.messages[0]?.id as string
    },
    messagesOf: (reference) => ada.client.history(ada.account.testKey, `client_reference=${reference}`),
    async open(query = '', options) {
      const tab = await ada.signedIn(options)
      await tab.page.goto(addressOf(query))
      await tab.page.getByRole('heading', { name: 'History' }).waitFor()
      return tab
    },
  }
}

export const rowOf = ({ page }: TestPage, text: string) => page.getByRole('row').filter({ hasText: text })
