import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows, updateRows } from '../../src/storage/seam/sets.ts'
import { failedAt, storedMessage } from '../history/stored-messages.ts'
import { type Scrolled, scrollThrough } from './scroll-through.ts'
import { type Ada, openAda } from './open-ada.ts'
import { xssStrings } from './xss-strings.ts'

const messageIds: string[] = []

/** Ten strings on the page of one message, all of them in the list. */
const perMessage = 10

let ada: Ada
beforeAll(async () => {
  ada = await openAda()
  const ids = createIds({ now: Date.now })
  const deviceId = ids('dev')
  const rows = xssStrings.map((attack, i) => {
    const id = ids('msg')
    if (i % perMessage === 0) messageIds.push(id)
    const metadata = xssStrings
      .slice(i, i + perMessage)
      .map((each, k) => [`m${k}`, each.replaceAll('\0', '').slice(0, 200)] as const)
    return storedMessage({
      ...failedAt(Date.now(), 'network_rejected'),
      account_id: ada.account.accountId,
      id,
      created_at: Date.now(),
      text: attack,
      sender: attack.slice(0, 60),
      client_reference: attack.slice(0, 100),
      network_code: attack,
      recipient: '+4915112345678',
      device_id: deviceId,
      attempts: 1,
      metadata: JSON.stringify(Object.fromEntries(metadata)),
    })
  })
  const attempts = rows.map(({ account_id, mode, id, text }) => ({
    account_id,
    mode,
    message_id: id,
    number: 1,
    id: ids('att'),
    device_id: deviceId,
    fence: 1,
    state: 'refused' as const,
    outcome: text,
    network_code: text,
    network_ids: JSON.stringify([text]),
    started_at: 1,
    ended_at: 2,
  }))
  const device = {
    id: deviceId,
    account_id: ada.account.accountId,
    mode: 'live' as const,
    kind: 'simulator',
    name: xssStrings[1]?.slice(0, 100) ?? '',
    state: 'disabled' as const,
    senders: '[]',
    settings: '{}',
    created_at: 1,
    updated_at: 1,
  }
  await ada.app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'devices', [device])
    await insertRows(tx, 'messages', rows)
    await insertRows(tx, 'attempts', attempts)
    const names = { id: ada.account.accountId, name: xssStrings[2]?.slice(0, 100) ?? '' }
    await updateRows(tx, 'accounts', ['id'], [names])
    await updateRows(tx, 'users', ['id'], [{ id: ada.account.userId, name: xssStrings[0] ?? '' }])
    await tx
      .updateTable('api_keys')
      .set({ name: xssStrings[1] ?? '' })
      .where('account_id', '=', ada.account.accountId)
      .execute()
  })
})
afterAll(() => ada.stop())

test('none of 200 attacks in texts, senders, names, references and codes runs, in the list or on the page of a message', async () => {
  expect(new Set(xssStrings).size).toBe(200)
  const tab = await ada.signedIn()
  const { page } = tab
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const ran = () => page.evaluate<unknown>('window.xssRan ?? null')
  const history = `${ada.place}/live/history`
  await tab.open(history)
  await page.getByRole('row').nth(5).waitFor()
  const { ids: seen, stuckAt } = await page.evaluate<Scrolled>(scrollThrough)
  expect(stuckAt).toBeNull()
  expect(seen).toBe(200)
  expect(await ran()).toBeNull()
  for (const id of messageIds) {
    await tab.follow(`${history}/${id}`)
    await page.getByText(id, { exact: true }).waitFor()
    await page
      .getByText(xssStrings[1]?.slice(0, 100) ?? '')
      .first()
      .waitFor()
    expect(await ran()).toBeNull()
  }
  for (const attack of xssStrings.filter((_, i) => i % 16 === 0)) {
    const query = new URLSearchParams({ text: attack, reference: attack.slice(0, 100) })
    await tab.open(`${history}?${query.toString()}`)
    await page.getByText(`text “`).first().waitFor()
    expect(await ran()).toBeNull()
  }
  expect({ dialogs, faults: tab.faults }).toEqual({ dialogs: [], faults: [] })
  await page.context().close()
}, 120_000)
