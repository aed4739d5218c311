import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import type { PageOptions, TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { type Gate, setTestDevice, startGate } from './test-device.ts'

/** A server whose owner looks at the history of its account. */
export interface HistoryHouse {
  url: string
  /** What the device of the test key waits for; while it is open, what is sent is delivered at once. */
  gate: Gate
  /** Sends with the test key; gives the id of the first message. */
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
  const gate = await startGate()
  await setTestDevice(ada, { delay_ms: '0', peer_url: gate.url })
  await untilAsked(ada, gate)
  const addressOf = (rest = ''): string => `${ada.place}/test/history${rest}`
  return {
    url: ada.url,
    addressOf,
    signedIn: (options) => ada.signedIn(options),
    gate,
    async stop() {
      gate.letGo()
      await ada.stop()
      await gate.stop()
    },
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
      await tab.open(addressOf(query))
      await tab.page.getByRole('heading', { name: 'History' }).waitFor()
      return tab
    },
  }
}

/** The server has seen the gate when a message of another account comes to it. */
async function untilAsked({ client, openAccount }: Ada, gate: Gate): Promise<void> {
  const { testKey } = await openAccount('First')
  const send = () => client.send(testKey, { to: '+15005550006', text: 'Hello' })
  await eventually(send, () => expect(gate.asked).toBeGreaterThan(0), 30_000)
}

export const rowOf = ({ page }: TestPage, text: string) => page.getByRole('row').filter({ hasText: text })
