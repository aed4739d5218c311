import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { eventually } from '../eventually.ts'
import { statementsOf } from '../plans.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'

let house: TendedHouse
beforeEach(async () => {
  house = await openTendedHouse()
})
afterEach(() => house.close())

const hourMs = 3_600_000

describe('retention', () => {
  test('erases texts after 30 days and leaves every time as it is', async () => {
    const { retention } = house.janitors()
    await house.addDevice('dev_s', { settings: { refuse: 'good' } })
    await house.send()
    await house.dispatcher.drain()
    const before = await house.message()
    house.clock.jumpWallClock(30 * dayMs - 1)
    await retention.sweepAll()
    expect(await house.message()).toEqual(before)
    house.clock.jumpWallClock(2)
    await retention.sweepAll()
    expect(await house.message()).toEqual({ ...before, text: null, text_redacted: 1 })
  })

  test('removes records after 90 days, and what they had used stays used and provable', async () => {
    const { retention } = house.janitors()
    await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
    await house.send({ to: manyNumbers(600), idempotency: { key: 'k', fingerprint: 'f' } })
    await house.dispatcher.drain()
    await house.clock.advance(1)
    await eventually(
      () => house.statuses(),
      (statuses) => expect(new Set(statuses)).toEqual(new Set(['delivered'])),
    )
    house.passDays(89)
    await retention.sweepAll()
    expect(await house.countOf('messages')).toBe(600)
    await house.setDevices({ offline: 'true' })
    await house.send({ to: manyNumbers(2), parts: 5 })
    house.passDays(1)
    house.clock.jumpWallClock(1_000)
    // Of two nodes each may think that it leads.
    await Promise.all([retention, house.janitors().retention].map((each) => each.sweepAll()))
    expect(await house.statuses()).toEqual(['queued', 'queued'])
    expect([
      await house.countOf('sends'),
      await house.countOf('attempts'),
      await house.countOf('idempotency_keys'),
    ]).toEqual([1, 0, 0])
    expect(await house.wallet()).toEqual({ granted: 1_000, reserved: 10, used: 600 })
    await house.sums()
  })

  test('removes records of changes once their messages can no longer be there, and keeps younger ones', async () => {
    const { retention } = house.janitors()
    await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
    await house.send()
    await house.dispatcher.drain()
    const numbers = async () => {
      const rows = await house.storage.read.selectFrom('message_changes').select('number').execute()
      return rows.map(({ number }) => number)
    }
    const before = await numbers()
    expect(before.length).toBeGreaterThan(1)
    house.passDays(91)
    await retention.sweepAll()
    expect(await numbers()).toEqual(expect.arrayContaining(before))
    house.passDays(60)
    await house.send()
    await retention.sweepAll()
    const after = await numbers()
    expect(after.filter((number) => before.includes(number))).toEqual([])
    expect(after.length).toBeGreaterThan(0)
  })

  test('comes back for what was not final yet when all around it was removed', async () => {
    const { retention, expirer } = house.janitors()
    await house.addDevice('dev_s', { settings: { delay_ms: '0' } })
    await house.send({ from: 'ACME' })
    await house.send({ to: manyNumbers(600) })
    await house.dispatcher.drain()
    await house.clock.advance(1)
    const delivered = async () => (await house.statuses()).filter((status) => status === 'delivered').length
    await eventually(delivered, (count) => expect(count).toBe(600))
    house.passDays(91)
    await retention.sweepAll()
    expect(await house.statuses()).toEqual(['queued'])
    await expirer.sweepAll()
    // As long as it may be told of and be corrected it stays, however old it is.
    house.passDays(9)
    await retention.sweepAll()
    expect(await house.statuses()).toEqual(['expired'])
    house.passDays(2)
    await retention.sweepAll()
    expect([
      await house.countOf('messages'),
      await house.countOf('sends'),
      await house.countOf('attempts'),
    ]).toEqual([0, 0, 0])
    await house.sums()
  })

  test('erases an authentication text as soon as its message is final, and not before', async () => {
    await house.addDevice('dev_s', { settings: { delay_ms: '1000' } })
    await house.send({ category: 'authentication', text: 'Your code is 123456' })
    await house.dispatcher.drain()
    expect(await house.message()).toMatchObject({ status: 'sent', text: 'Your code is 123456' })
    await house.receipt('delivered')
    expect(await house.message()).toMatchObject({ status: 'delivered', text: null, text_redacted: 1 })
  })

  test('erases a text on time although its message became final long after its neighbours', async () => {
    const { retention } = house.janitors({ settings: { ONESIXTY_TEXT_RETENTION_DAYS: '1' } })
    await house.addDevice('dev_s', { settings: { offline: 'true' } })
    await house.send({ from: '+491701111111', expiresAt: house.clock.now() + 3 * dayMs })
    house.clock.jumpWallClock(1_000)
    await house.send({ expiresAt: house.clock.now() + hourMs })
    house.passDays(1.5)
    await house.janitors().expirer.sweepAll()
    await retention.sweepAll()
    const texts = async () =>
      (await house.storage.read.selectFrom('messages').select('text').orderBy('id').execute()).map(
        ({ text }) => text,
      )
    expect(await texts()).toEqual(['Hello', null])
    house.passDays(2)
    await house.janitors().expirer.sweepAll()
    await retention.sweepAll()
    expect(await texts()).toEqual([null, null])
  })

  test('walks once an hour over what stands behind a message that is not final, and erases its text within an hour of its end', async () => {
    const { retention } = house.janitors({ settings: { ONESIXTY_TEXT_RETENTION_DAYS: '1' } })
    await house.addDevice('dev_s', { settings: { refuse: 'good' } })
    await house.send({ from: 'ACME', expiresAt: house.clock.now() + 2 * dayMs + hourMs / 2 })
    await house.send({ to: manyNumbers(3) })
    await house.dispatcher.drain()
    const [first, ...others] = (
      await house.storage.read.selectFrom('messages').select('id').orderBy('id').execute()
    ).map(({ id }) => id)
    const begins = async (): Promise<'at the beginning' | 'behind all'> => {
      const asked = await statementsOf(house.storage.read, () => retention.sweepAll())
      const looks = asked.filter(({ sql }) => sql.includes('finalized_at from messages'))
      const given = JSON.stringify(looks.map(({ parameters }) => parameters))
      expect(looks).not.toEqual([])
      return given.includes(others.at(-1) as string) ? 'behind all' : 'at the beginning'
    }
    const texts = async () =>
      (
        await house.storage.read.selectFrom('messages').select('id').where('text', 'is not', null).execute()
      ).map(({ id }) => id)
    house.passDays(2)
    expect(await begins()).toBe('at the beginning')
    expect(await texts()).toEqual([first])
    house.clock.jumpWallClock(hourMs - 60_000)
    expect(await begins()).toBe('behind all')
    await house.janitors().expirer.sweepAll()
    house.clock.jumpWallClock(60_000)
    expect(await begins()).toBe('at the beginning')
    expect(await texts()).toEqual([])
  })

  test('keeps an idempotency key for 7 days and until every message of its send is final', async () => {
    const { retention, expirer } = house.janitors()
    const again = () =>
      house.send({ idempotency: { key: 'k', fingerprint: 'f' }, expiresAt: house.clock.now() + 3 * dayMs })
    await house.send({
      idempotency: { key: 'k', fingerprint: 'f' },
      expiresAt: house.clock.now() + 20 * dayMs,
    })
    house.passDays(7)
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'replayed' })
    house.passDays(13)
    await expirer.sweepAll()
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'accepted' })
    house.clock.jumpWallClock(7 * dayMs - 1)
    await expirer.sweepAll()
    await retention.sweepAll()
    expect(await again()).toMatchObject({ kind: 'replayed' })
    house.clock.jumpWallClock(1)
    await retention.sweepAll()
    expect(await house.countOf('idempotency_keys')).toBe(0)
  })

  test('forgets which received messages it knows once their records are gone', async () => {
    const { retention } = house.janitors()
    await house.storage.writer.write((tx) =>
      tx
        .insertInto('inbound_seen')
        .values({ device_id: 'dev_s', fingerprint: 'f', received_at: house.clock.now() })
        .execute(),
    )
    house.passDays(89)
    await retention.sweepAll()
    expect(await house.countOf('inbound_seen')).toBe(1)
    house.passDays(2)
    await retention.sweepAll()
    expect(await house.countOf('inbound_seen')).toBe(0)
  })
})
