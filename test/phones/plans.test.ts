import { type CompiledQuery, sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { readOrphans } from '../../src/messages/outcomes/open-claims.ts'
import { offeredSince } from '../../src/messages/phones/phone-offers.ts'
import { countUnacknowledged, readOffers } from '../../src/messages/phones/read-offers.ts'
import { findUnfinishedOffers, readUnfinishedOffers } from '../../src/messages/phones/unfinished-offers.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** Thousands of offers, of which few are open, and a long queue: what tempts a planner, and what a slow statement shows on. */
async function fill(house: DeskHouse, phoneId: string, deviceId: string): Promise<void> {
  const rest = {
    device_id: deviceId,
    phone_id: phoneId,
    account_id: 'acc_a',
    mode: 'live',
    attempt_number: 1,
    state: 'sent',
  } as const
  await house.storage.writer.write(async (tx) => {
    await insertRows(
      tx,
      'phone_offers',
      Array.from({ length: 3_000 }, (_, i) => ({
        ...rest,
        attempt_id: `att_${i}`,
        message_id: `msg_${i}`,
        offered_at: i,
        last_offered_at: i,
        closed_at: i,
      })),
    )
    await sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < 2999)
      insert into messages select account_id, mode, 'msg_' || i, send_id, direction, status, recipient, sender, country, category, text, text_redacted,
        encoding, units, parts, parts_sent, held, charged, cost_state, on_unknown, device_id, receipt_expected, error_code, network_code, attempts,
        possible_duplicate, corrected, sequence, client_reference, metadata, created_at, send_at, expires_at, sent_at, delivered_at, finalized_at,
        settled_at, updated_at, encoding_forced, null, null, null, paid_by, null, null, null from (select * from messages limit 1), n`.execute(
      tx,
    )
    await sql`insert into queue select 'live:', account_id, 1, created_at + 1000, id, mode, parts, expires_at, 0, 0
      from messages where length(id) < 10`.execute(tx)
    await sql`insert into attempts (account_id, mode, message_id, number, id, device_id, fence, state, started_at, ended_at, outcome)
      select account_id, mode, id, 1, 'att' || id, 'dev_s', 1, 'accepted', 1, 1, 'accepted'
      from messages where length(id) < 10`.execute(tx)
    await analyse(tx)
  })
}

const isRead = ({ sql: text }: CompiledQuery): boolean => /^\s*(select|update|delete)/i.test(text)

// The offers that are open are few: PostgreSQL may read all of them to leave out the attempts that phones hold.
const loose = isPostgres
  ? /^SCAN (phone_offers|messages|queue|attempts)\b(?!.* (attempts|phone_offers)_open)/
  : /^SCAN (o|m|phone_offers|messages|queue|attempts)\b(?!.* attempts_open)/

describe.each(['fresh', 'filled and analysed'])('on %s tables', (state) => {
  test('no statement about phones reads a table from end to end', async () => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send({ to: ['+4915112345601', '+4915112345602'] })
    if (state !== 'fresh') await fill(house, phone.phoneId, phone.deviceId)
    await house.pull(phone)
    const { read } = house.storage
    const terms = {
      ...phone,
      askedAtMs: house.clock.now(),
      nowMs: house.clock.now(),
      most: 20,
      hangsAfterMs: 600_000,
    }
    const sent = await statementsOf(read, async () => {
      await readOffers(read, terms)
      await countUnacknowledged(read, terms)
      await readUnfinishedOffers(read, { ...terms, spanMs: 600_000 })
      await findUnfinishedOffers(read, ['att_1', 'att_2'])
      await offeredSince(read, phone.deviceId, house.clock.now() - 1_800_000)
      await house.known('nobody’s token')
      await readOrphans(read, { fence: 2, most: 500 })
    })
    const plans = await stepsOf(house.dataFolder, ...sent.filter(isRead))
    expect(plans.length).toBeGreaterThan(6)
    expect(plans.filter((step) => loose.test(step))).toEqual([])
  })

  test('a report finds its attempt, which knows the place of its message in the queue, however much waits', async () => {
    const house = await openDeskHouse()
    const phone = await house.register('1')
    await house.send()
    if (state !== 'fresh') await fill(house, phone.phoneId, phone.deviceId)
    const [offer] = await house.pull(phone)
    const told: CompiledQuery[] = []
    await house.storage.writer.write(async (tx) => {
      const executed = vi.spyOn(tx.getExecutor(), 'executeQuery')
      const { settleReports } = await import('../../src/dispatch/phones/phone-reports.ts')
      const report = {
        attemptId: offer!.attemptId,
        deviceId: phone.deviceId,
        phoneId: phone.phoneId,
        state: 'processed',
        error: null,
      } as const
      await settleReports(tx, await takeChange(tx, house.clock.now()), [report], {
        dueFromMs: house.clock.now(),
        judgeFailure: () => ({ kind: 'undelivered', code: 'unknown', networkCode: null }),
      })
      told.push(...executed.mock.calls.map(([query]) => query).filter(isRead))
    })
    const steps = await stepsOf(house.dataFolder, ...told)
    expect(steps.filter((step) => loose.test(step) || step.includes('TEMP B-TREE'))).toEqual([])
    expect(steps.filter((step) => step.includes(' queue'))).toEqual([])
    expect(steps).toContain(
      isPostgres
        ? 'SEARCH attempts BY attempts_pkey (account_id= mode= message_id= number=)'
        : 'SEARCH attempts USING PRIMARY KEY (account_id=? AND mode=? AND message_id=? AND number=?)',
    )
  })
})
