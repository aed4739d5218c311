import { afterEach, beforeEach, expect, test } from 'vitest'
import { placeBefore, readChanges } from '../../src/messages/history/history-updates.ts'
import { walkHistory } from '../history/stored-messages.ts'
import { accepted, type LostHouse, openLostHouse } from './lost-house.ts'
import { readShown } from './shown-messages.ts'

/** Late words leave traces of work on messages that are final: an open attempt, a receipt that is waited for. The feed of changes has each message once. */
let house: LostHouse
beforeEach(async () => {
  house = await openLostHouse()
})
afterEach(async () => {
  await house.sums()
  await house.close()
})

const owner = { accountId: 'acc_a', mode: 'live' } as const

const changes = async (limit: number): Promise<string[]> => {
  const walk = { query: { updatedAfterMs: 1 }, owner, limit }
  const { rows } = await walkHistory({ read: house.store.db }, walk)
  return rows.map(({ id, status }) => `${id} ${status}`)
}

/** In the order of their last changes. */
const stored = async (): Promise<string[]> => {
  const rows = await readShown(house.store.db)
  const recorded = await readChanges(house.store.db, { owner, after: placeBefore(0), most: 1_000 })
  return recorded
    .flatMap((change) => rows.filter(({ id, sequence }) => id === change.id && sequence === change.sequence))
    .map(({ id, status }) => `${id} ${status}`)
}

const limits = [2, 100]

test.for(limits)('one whose late yes has it wait for a receipt is told once, %s to a page', async (limit) => {
  const first = await house.loseOne()
  house.clock.jumpWallClock(1_000)
  await house.late(first, accepted('n1'))
  expect(await house.message()).toMatchObject({ status: 'sent', corrected: 1 })
  expect(await house.rowsOf('receipts_expected')).toMatchObject([{ network_id: 'n1', closed_at: null }])
  await house.send()
  expect(await changes(limit)).toEqual(await stored())
})

test.for(limits)(
  'one that arrived by its first try while the second is open is told once, %s to a page',
  async (limit) => {
    const first = await house.loseOne({ onUnknown: 'resend_once' })
    await house.claim()
    await house.late(first, accepted('n1'))
    await house.receipts({ n1: 'delivered' })
    expect(await house.message()).toMatchObject({ status: 'delivered', attempts: 2 })
    await house.send()
    await house.claim()
    expect(await changes(limit)).toEqual(await stored())
  },
)

test('several that wait by late yeses keep none off a page that waits by a yes in time', async () => {
  const early = [await house.loseOne(), await house.loseOne()]
  house.clock.jumpWallClock(1_000)
  for (const [i, each] of early.entries()) await house.late(each, accepted(`n${i}`))
  await house.send()
  await house.end(await house.claim(), accepted('n9'))
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent'])
  for (const limit of limits) expect(await changes(limit)).toEqual(await stored())
})
