import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'
import { type ClaimRequest, claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { statementsOf } from '../plans.ts'
import { isLong, sizeOf } from '../proof-sizes.ts'

const waiting = sizeOf('WAITING_FOR_A_STAGE')
const nowMs = 1_800_000_000_000
const fiveMinutesMs = 300_000
const route = { account_id: 'acc_a', mode: 'live', route_key: 'live~0123456789:' } as const
const asked = { accountId: 'acc_a', mode: 'live', routeKey: route.route_key, deviceId: 'dev_a', quota: 10, partsOver: 0, partsUpTo: 10 } as const // prettier-ignore

/** Messages of which none has waited for five minutes. */
async function fill({ storage }: TestStorage): Promise<void> {
  for (let from = 0; from < waiting; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, waiting - from) }, (_, i) => ({
      ...route,
      priority: (from + i) % 3,
      due_at: nowMs - 1 - ((from + i) % 60_000),
      message_id: `msg_${from + i}`,
      parts: 1,
      expires_at: nowMs + 86_400_000,
    }))
    await storage.writer.write((tx) => insertRows(tx, 'queue', rows))
  }
}

/** The quickest of some readings of what a claim reads, in ms. */
async function quickest(
  { storage, dataFolder }: TestStorage,
  claim: { request: ClaimRequest; dueMs: number },
): Promise<number> {
  const read = storage.read as never
  const input = { requests: [claim.request], nowMs, dueMs: claim.dueMs, fence: 1 }
  const statements = await statementsOf(storage.read, () => claimMessages(read, createIds({ now: () => nowMs }), input, changeOnDemand(read, nowMs))) // prettier-ignore
  expect(statements.length).toBeGreaterThan(0)
  const database = new DatabaseSync(databaseFile(dataFolder), { readOnly: true })
  onTestFinished(() => database.close())
  const runs = statements.flatMap(({ sql, parameters }) => {
    const sets = Array.isArray(parameters[0]) ? (parameters as readonly (readonly string[])[]) : [parameters as readonly string[]] // prettier-ignore
    return sets.map((values) => ({ statement: database.prepare(sql), values }))
  })
  const times = Array.from({ length: 30 }, () => {
    const startedMs = performance.now()
    for (const { statement, values } of runs) expect(statement.all(...values)).toEqual([])
    return performance.now() - startedMs
  })
  return Math.min(...times)
}

test('looking for what has waited for a later stage reads none of the messages that have not, however many there are', async () => {
  const house = await openTestStorage()
  onTestFinished(() => house.close())
  await fill(house)
  const waited = await quickest(house, { request: { ...asked, waitedMs: fiveMinutesMs }, dueMs: nowMs })
  // The same without a seek for each priority reads every row.
  const everyRow = await quickest(house, { request: asked, dueMs: nowMs - fiveMinutesMs })
  expect(waited * 4).toBeLessThan(everyRow)
  if (isLong()) expect(waited).toBeLessThan(0.2)
})
