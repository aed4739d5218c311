import { takeChange } from '../../src/messages/core/change-number.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { sendRequest } from '../send-request.ts'
import { expectSound, expectSoundInBothSchemes, widths } from './browser.ts'
import { eventually } from '../eventually.ts'
import { type Ada, openAda } from './open-ada.ts'

/** Ada's own devices cost nothing; the only one is disabled, and one of her messages waits for it. */
let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  const { accountId, userId } = ada.account
  const nowMs = Date.now()
  const device = { id: 'dev_own', account_id: accountId, mode: 'live', kind: 'smpp', name: 'Own', state: 'disabled', senders: '[]', settings: '{"host":"127.0.0.1","port":"9","system_id":"x"}', created_at: nowMs, updated_at: nowMs } as const // prettier-ignore
  await ada.app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [
      device,
      { ...device, id: 'dev_shared', account_id: null, name: 'Shared' },
    ])
    await tx.updateTable('accounts').set({ own_devices: 'free' }).where('id', '=', accountId).execute()
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute()
    const later = { sendAt: nowMs + 3_600_000, expiresAt: nowMs + 7_200_000 }
    await sendMessages(tx, [sendRequest({ ids: createIds({ now: Date.now }), nowMs }, { accountId, paidBy: 'own_device', parts: 2, ...later })], takeChange(tx, nowMs)) // prettier-ignore
  })
})
afterAll(() => ada.stop())

test.for(widths)(
  'at a width of %i, own use stands next to the balance, and a page says what waits for an own device',
  async (width) => {
    const tab = await ada.signedIn({ width })
    for (const path of ['/live', '/live/balance']) {
      await tab.open(ada.place + path)
      await tab.page.getByText('cost nothing, 2 in progress').waitFor()
      await expectSound(tab)
    }
    await tab.open(`${ada.place}/live/devices`)
    await tab.page.getByText('1 message waits for an own device').waitFor()
    await tab.page.getByText('1 message waits for this device').waitFor()
    await expectSound(tab)
    await tab.open(`${ada.url}/operator`)
    await tab.page.getByRole('columnheader', { name: 'Own devices' }).waitFor()
    await expectSound(tab)
    expect(tab.faults).toEqual([])
    await tab.page.context().close()
  },
)

test.for(widths)(
  'at a width of %i, a send may fall back to shared devices where that means something, and its price is said before',
  async (width) => {
    const tab = await ada.signedIn({ width })
    const { page } = tab
    const write = async (): Promise<void> => {
      await tab.open(`${ada.place}/live/send`)
      await page.getByLabel(/^To/).fill('+4915112345678')
      await page.getByLabel(/^Text/).fill('Hello')
      await page.getByRole('button', { name: 'Options' }).click()
      await page.getByLabel(/^Reference/).waitFor()
    }
    const option = page.getByRole('checkbox', { name: /^Let shared devices send/ })
    await setOwn('disabled')
    await write()
    expect(await option.count()).toBe(0)
    await setOwn('enabled')
    await write()
    const cost = page.getByRole('status', { name: 'Cost' })
    await cost.getByText('Costs nothing for 1 message (1 SMS): only own devices send them.').waitFor()
    await option.check()
    await cost
      .getByText(/^Costs at most 1 SMS for 1 message, and nothing for what own devices send; at least \d+ SMS left afterwards\.$/)
      .waitFor()
    await expectSoundInBothSchemes(tab)
    await tab.screenshot('send-fallback')
    await page.getByRole('button', { name: 'Send message' }).click()
    await page.getByText('Accepted', { exact: true }).waitFor()
    const row = await ada.app.storage.read.selectFrom('messages').select(['fallback', 'paid_by']).orderBy('id', 'desc').limit(1).executeTakeFirst()
    expect(row).toEqual({ fallback: 'shared', paid_by: 'balance' })
    expect(tab.faults).toEqual([])
    await page.context().close()
    await setOwn('disabled')
  },
) // prettier-ignore

/** The own device, and one that the operator shares: links to a port at which nothing listens. Ends when sends follow. */
const setOwn = async (state: 'enabled' | 'disabled'): Promise<void> => {
  await ada.app.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set((is) => ({ state, updated_at: is('updated_at', '+', 1) })).where('id', 'in', ['dev_own', 'dev_shared']).execute()
    await touchDirectory(tx)
  })
  const headers = { 'authorization': `Bearer ${ada.account.liveKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ to: '+4915112345678', text: 'Hello', dry_run: true })
  const price = async (): Promise<string> => (await fetch(`${ada.url}/api/v1/send`, { method: 'POST', headers, body })).text()
  await eventually(price, (said) => expect(said.includes('"paid_by":"own_device"')).toBe(state === 'enabled'))
} // prettier-ignore

test('a message that costs nothing is canceled with the right words', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/live/history`)
  await page.getByRole('button', { name: /^Change message to/ }).click()
  await page.getByRole('menuitem', { name: 'Cancel…' }).click()
  await page.getByText('The balance is unchanged: own devices cost nothing.').waitFor()
  await page.getByRole('button', { name: /^Cancel message to/ }).click()
  await page.getByText('Canceled. Nothing was sent, and the balance is unchanged').waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
})
