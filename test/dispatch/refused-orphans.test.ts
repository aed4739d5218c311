import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Outcome } from '../../src/connectors/connector.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { openNear } from '../open-near.ts'
import { createLog } from '../../src/process/log.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { createApiClient } from '../api-client.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { openTendedHouse } from '../messages/tended-house.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'
import { readShown } from '../messages/shown-messages.ts'

/** A hold larger than what is reserved: no database lets it go. */
const hold = (writer: Writer, messageId: string, held: number): Promise<unknown> =>
  writer.write((tx) => tx.updateTable('messages').set({ held }).where('id', '=', messageId).execute())

const addDevice = (writer: Writer): Promise<unknown> =>
  writer.write((tx) =>
    insertRows(tx, 'devices', [{
      id: 'dev_s', account_id: null, mode: 'live', kind: 'simulator', name: 'S', state: 'enabled', senders: '[]', settings: '{"offline":"true"}',
      parts_per_window: null, window_seconds: null, created_at: 0, updated_at: 0,
    }]),
  ) // prettier-ignore

const openHouse = async () => {
  const house = await openTendedHouse()
  onTestFinished(async () => {
    await expectSums(house.storage.read, house.clock.now())
    await house.close()
  })
  await house.addDevice('dev_s', { settings: { offline: 'true' } })
  await house.send({ to: ['+4915100000001', '+4915100000002', '+4915100000003'] })
  expect(await house.claimAndDie(1, { isLogged: true })).toBe(3)
  const attempts = await house.storage.read
    .selectFrom('attempts')
    .select(['id', 'message_id'])
    .orderBy('id')
    .execute()
  const [first, second] = attempts as [(typeof attempts)[0], (typeof attempts)[0]]
  /** The next start, whose log tells this of the first, that the second had left, and nothing of the third. */
  const rescue = (told: Outcome): Promise<void> => {
    const outcomes = new Map<string, Outcome | null>([
      [first.id, told],
      [second.id, null],
    ])
    return house.janitors({ fence: 2, past: { epoch: 1, outcomes } }).rescuer.sweepAll()
  }
  return { house, first, second, rescue }
}

test('an orphan that the database takes in no form keeps no other, and ends as it was told once it is taken', async () => {
  const { house, first, rescue } = await openHouse()
  const accepted: Outcome = { kind: 'accepted', networkIds: ['net-1'], receiptExpected: true }
  await hold(house.storage.writer, first.message_id, 100)
  await rescue(accepted)
  expect(await house.statuses()).toEqual(['sending', 'unconfirmed', 'queued'])
  await hold(house.storage.writer, first.message_id, 1)
  await rescue(accepted)
  expect(await house.statuses()).toEqual(['sent', 'unconfirmed', 'queued'])
})

test('two orphans that the database takes in no form keep no third', async () => {
  const { house, first, second, rescue } = await openHouse()
  const accepted: Outcome = { kind: 'accepted', networkIds: ['net-1'], receiptExpected: true }
  for (const { message_id } of [first, second]) await hold(house.storage.writer, message_id, 100)
  await rescue(accepted)
  expect(await house.statuses()).toEqual(['sending', 'sending', 'queued'])
  for (const { message_id } of [first, second]) await hold(house.storage.writer, message_id, 1)
  await rescue(accepted)
  expect(await house.statuses()).toEqual(['sent', 'unconfirmed', 'queued'])
})

test('an orphan whose outcome is refused as it was told is not known', async () => {
  const { house, rescue } = await openHouse()
  const more = { kind: 'partial', code: 'refused', networkCode: null, networkIds: ['net-1'], partsTaken: 0.5, receiptExpected: true } as const // prettier-ignore
  await rescue(more)
  expect(await house.statuses()).toEqual(['unconfirmed', 'unconfirmed', 'queued'])
})

test('a server starts although the database refuses the end of what the one before had open', async () => {
  const dataFolder = await makeTestFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  const config = readConfig({ ...databaseSettings(dataFolder), ONESIXTY_PORT: '0' })
  const serve = async () => {
    const log = createLog('silent', { write: () => undefined })
    const app = await createApp(config, log, systemClock, { open: openNear })
    if (app.epoch.epoch === 1) await addDevice(app.storage.writer)
    let stopping: Promise<void> | null = null
    const stop = (): Promise<void> => (stopping ??= app.stop())
    const { url } = await app.start()
    onTestFinished(stop)
    return { ...app, url, stop }
  }
  const nowMs = Date.now()
  const ids = createIds({ now: () => nowMs })
  const killed = await serve()
  const { writer } = killed.storage
  const owner = { name: 'Ada', email: 'ada@example.org', actor: 'test' }
  const { accountId, liveKey } = await writer.write((tx) =>
    openAccount(tx, { ids, nowMs, randomBytes, config }, owner),
  )
  const client = createApiClient(killed.url)
  onTestFinished(() => client.close())
  const sent = await client.send(liveKey, { to: ['+4915112345671', '+4915112345672'], text: 'Hello' })
  expect(sent.status).toBe(202)
  const routeKey = routeKeyOf({ mode: 'live', sender: null })
  const want = { accountId, mode: 'live', routeKey, deviceId: 'dev_s', quota: 10, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore
  const at = { nowMs: Date.now(), dueMs: Date.now(), fence: killed.epoch.epoch }
  const { claimed } = await writer.write((tx) =>
    claimMessages(tx, ids, { requests: [want], ...at }, changeOnDemand(tx, at.nowMs)),
  )
  expect(claimed).toHaveLength(2)
  await hold(writer, claimed[0]!.messageId, 100)
  await killed.stop()
  const { storage } = await serve()
  const rows = (await readShown(storage.read)).filter((row) => row.account_id === accountId)
  expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(
    new Map([
      [claimed[0]!.messageId, 'sending'],
      [claimed[1]!.messageId, 'unconfirmed'],
    ]),
  )
})
