import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { sendRequest } from '../send-request.ts'
import { expectSound, widths } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

/** Ada's own devices cost nothing; the only one is disabled, and one of her messages waits for it. */
let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  const { accountId, userId } = ada.account
  const nowMs = Date.now()
  const device = { id: 'dev_own', account_id: accountId, mode: 'live', kind: 'smpp', name: 'Own', state: 'disabled', senders: '[]', settings: '{}', created_at: nowMs, updated_at: nowMs } as const // prettier-ignore
  await ada.app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [device])
    await tx.updateTable('accounts').set({ own_devices: 'free' }).where('id', '=', accountId).execute()
    await tx.updateTable('users').set({ is_operator: 1 }).where('id', '=', userId).execute()
    const later = { sendAt: nowMs + 3_600_000, expiresAt: nowMs + 7_200_000 }
    await sendMessages(tx, [sendRequest({ ids: createIds({ now: Date.now }), nowMs }, { accountId, paidBy: 'own_device', parts: 2, ...later })]) // prettier-ignore
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
