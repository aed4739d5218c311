import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountReader } from '../../src/storage/postgres/row-security.ts'
import { startConsole, type TestConsole } from '../console/start-console.ts'
import { storeMany } from '../e2e/many-messages.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
  await storeMany(house.app.storage, house.ada.accountId, 1)
})
afterAll(() => house.stop())

const ask = (path: string): Promise<Response> =>
  fetch(`${house.url}/console/api/${path}`, { headers: { cookie: house.ada.cookie } })

async function exported(): Promise<unknown[]> {
  const query = new URLSearchParams({
    account: house.ada.accountId,
    mode: 'live',
    input: '{"filter":{},"format":"json"}',
  })
  return (await (await ask(`history/export?${query.toString()}`)).json()) as unknown[]
}

/** What a live stream tells first, as far as the devices, which come last. */
async function told(): Promise<string[]> {
  const answer = await ask(`live?account=${house.ada.accountId}&mode=live`)
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true })
    if (text.includes('event: devices')) break
  }
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, topic]) => topic as string)
}

test('exports and live streams see what row security shows of an account, and nothing besides', async () => {
  expect(await exported()).toHaveLength(1)
  expect(await told()).toEqual(['messages', 'balance', 'devices'])
  await house.app.storage.writer.write(async (tx) => {
    for (const table of ['messages', 'wallets'])
      await sql
        .raw(
          `create policy shut on ${table} as restrictive for select to ${accountReader} using (account_id = 'acc_nobody')`,
        )
        .execute(tx)
  })
  expect(await exported()).toEqual([])
  expect(await told()).toEqual(['messages', 'devices'])
})
