import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { openForCommand } from '../../src/storage/open/command-storage.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { fillAccount } from '../messages/filled-account.ts'
import type { FilledAccount } from '../messages/filling.ts'
import { databaseSettings, isPostgres } from '../test-database.ts'
import { type Cli, openCli } from './run-cli.ts'
import { tracesOf } from './traces-of.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

const shop = { mark: 'zanzibar', number: '+4915112345678' }
const beside = { mark: 'timbuktu', number: '+4915187654321' }
const ids = createIds({ now: Date.now })

let cli: Cli
let filled: FilledAccount
beforeEach(async () => {
  cli = await openCli()
  await cli.json('account create --name Olga --email olga@example.org')
  await inStorage(async (storage) => {
    filled = await fillAccount({ ...storage, ids, now: Date.now }, shop)
    await fillAccount({ ...storage, ids, now: Date.now }, beside)
  })
})
afterEach(() => cli.close())

async function inStorage<T>(
  use: (storage: Awaited<ReturnType<typeof openForCommand>>) => Promise<T>,
): Promise<T> {
  const storage = await openForCommand(readConfig(databaseSettings(cli.dataFolder)), Date.now())
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

const erase = (...more: string[]) => ['account', 'erase', '--account', filled.accountId, ...more]
const words = [shop.mark, shop.number.slice(1)]

/** What the doctor finds. No server listens here, and no phone came within a day: the address of phones is one. */
const faults = async (line: string): Promise<string[]> => {
  const { checks } = JSON.parse((await cli.run(`${line} --json`)).stdout) as {
    checks: { name: string; ok: boolean }[]
  }
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

test('an erased account stands in no byte of the database, its log or a copy, and the doctor finds no fault in its data before and after', async () => {
  expect(await faults('doctor')).toEqual(['phone_address'])
  expect(await tracesOf([...words, beside.mark], cli.dataFolder)).toEqual([...words, beside.mark])
  expect(await cli.json(erase('--confirm', filled.name))).toEqual({
    ok: true,
    account_id: filled.accountId,
    erased_messages: 7,
    canceled_messages: 2,
    being_handed_over: 0,
    final_by: null,
    log_emptied: !isPostgres,
  })
  expect(await tracesOf([...words, beside.mark], cli.dataFolder)).toEqual([beside.mark])
  expect(await faults('doctor --full')).toEqual(['phone_address'])
})

test('on a terminal it says each step, and at the end what was erased', async () => {
  const { code, stdout, stderr } = await cli.run(erase('--confirm', filled.name))
  expect(code).toBe(0)
  expect(stdout).toContain(
    `${filled.accountId} is erased: 7 messages; 2 scheduled or queued messages were canceled.`,
  )
  expect(stderr.split('\n')).toEqual(
    expect.arrayContaining([
      'Closed; canceling scheduled and queued messages.',
      'Erasing messages.',
      'Erasing the name.',
    ]),
  )
})

test('without the name, or with another one, nothing is changed', async () => {
  expect((await cli.run(erase())).code).toBe(2)
  expect((await cli.run(erase('--confirm', filled.name, '--wait', '3601'))).code).toBe(2)
  const { code, stderr } = await cli.run(erase('--confirm', 'Shop'))
  expect([code, stderr]).toEqual([1, expect.stringContaining(`confirm with its exact name: ${filled.name}`)])
  const { accounts } = await cli.json<{ accounts: { id: string; state: string }[] }>('account list')
  expect(accounts.find(({ id }) => id === filled.accountId)?.state).toBe('active')
})

test('what is being handed over for longer than it waits is told with the time by which it is final', async () => {
  const want = { accountId: filled.accountId, mode: 'live', deviceId: filled.deviceId, quota: 1, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const claim = (tx: Tx) => {
    const requests = [{ ...want, routeKey: routeKeyOf({ mode: 'live', sender: shop.mark }) }]
    return claimMessages(
      tx,
      ids,
      { requests, nowMs: Date.now(), dueMs: Date.now(), fence: 1 },
      changeOnDemand(tx, Date.now()),
    )
  }
  const { claimed } = await inStorage(({ writer }) => writer.write(claim))
  const { code, stdout } = await cli.run(erase('--confirm', filled.name, '--wait', '0', '--json'))
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    erased_messages: 0,
    being_handed_over: 1,
    final_by: new Date((claimed[0]?.expiresAt ?? 0) + 3 * 3_600_000).toISOString(),
  })
  const said = await cli.run(erase('--confirm', filled.name, '--wait', '0'))
  expect(said.stdout).toContain('is not erased yet: 1 messages are in flight.')
})
