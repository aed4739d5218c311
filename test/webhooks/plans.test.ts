import { type CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eraseTexts } from '../../src/privacy/erase-texts.ts'
import { countWaiting } from '../../src/webhooks/count-waiting.ts'
import { claimDeliveries, readDueEndpoints } from '../../src/webhooks/claim-deliveries.ts'
import { recordOutcomes } from '../../src/webhooks/delivery-outcomes.ts'
import { listDeliveries, listDeliveriesOfMessage, listTries } from '../../src/webhooks/list-deliveries.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { answered, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

/** Of one endpoint what was told and what waits, beside others of the account and another account. */
async function fill(endpointId: string): Promise<void> {
  const n = sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < 3999)`
  const account = sql.raw(`case when i % 2 = 0 then 'acc_a' else 'acc_b' end`)
  const endpoint = sql`case when i % 4 = 0 then ${endpointId} else 'whk_' || cast(i % 4 as text) end`
  await house.storage.writer.write(async (tx) => {
    await sql`${n} insert into webhook_events (account_id, id, type, mode, at, sequence, correction, message_id, status)
      select ${account}, 'evt_' || cast(i as text), 'message.sent', 'live', i, 1, 0, 'msg_' || cast(i as text), 'sent' from n where true`.execute(
      tx,
    )
    await sql`${n} insert into webhook_deliveries (account_id, endpoint_id, event_id, due_at, outcome, closed_at)
      select ${account}, ${endpoint}, 'evt_' || cast(i as text), i, case when i < 2000 then 'delivered' end, case when i < 2000 then i end from n where true`.execute(
      tx,
    )
    await sql`${n} insert into webhook_attempts (account_id, endpoint_id, event_id, token, at, duration_ms, status)
      select ${account}, ${endpoint}, 'evt_' || cast(i as text), 1, i, 1, 200 from n where i < 2000`.execute(
      tx,
    )
  })
}

/** Tables that grow, read as a whole or in the order of an index that nothing was looked for in. */
const reads = async (statements: readonly CompiledQuery[]): Promise<string[]> => {
  const steps = await stepsOf(house.dataFolder, ...statements.filter((one) => !/^\s*insert/i.test(one.sql)))
  const whole = isPostgres
    ? /^SCAN (webhook_(events|deliveries|attempts)|messages)$/
    : /^SCAN (webhook_(events|deliveries|attempts)|messages|d|v|t|m)\b(?! USING)/
  return steps.filter((step) => whole.test(step))
}

test.for(['fresh', 'analysed'])('nothing reads what grows as a whole, on %s tables', async (state) => {
  const { endpointId } = await house.addEndpoint()
  await fill(endpointId)
  const { storage } = house
  const { read } = storage
  if (state === 'analysed') await storage.writer.write(analyse)
  const named = { accountId: 'acc_a', endpointId }
  const looked = await statementsOf(read, async () => {
    expect(await readDueEndpoints(read, 5_000)).toEqual([named])
    expect(await countWaiting(read, 100)).toBe(100)
    expect((await listDeliveries(read, { ...named, limit: 50 })).deliveries).toHaveLength(50)
    expect(await listTries(read, { ...named, eventId: 'evt_0' })).toHaveLength(1)
    await listDeliveriesOfMessage(read, { accountId: 'acc_a', messageId: 'msg_0' })
  })
  const written = await storage.writer.write((tx) =>
    statementsOf(tx, async () => {
      const wants = [{ ...named, most: 20 }]
      const claimed = await claimDeliveries(tx, { wants, nowMs: 5_000, leaseMs: 1_000 })
      expect(claimed).toHaveLength(20)
      const tried = claimed.map(({ event, ...one }) => ({ ...one, ...named, eventId: event.id, result: answered(200), atMs: 5_000, durationMs: 1 }))
      const deps = { ids: house.ids, nowMs: 5_000, random: () => 0.5, disableAfterMs: 1 }
      expect(new Set(await recordOutcomes(tx, deps, tried))).toEqual(new Set(['delivered']))
      await eraseTexts(tx, [{ account_id: 'acc_a', mode: 'live', id: 'msg_0' }])
    }),
  ) // prettier-ignore
  expect(looked.length + written.length).toBeGreaterThan(10)
  expect(await reads([...looked, ...written])).toEqual([])
})
