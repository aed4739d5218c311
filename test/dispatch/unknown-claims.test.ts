import { expect, onTestFinished, test } from 'vitest'
import type { DispatchUnits } from '../../src/dispatch/submissions/dispatch-units.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

/** The claims of a database whose answer to a commit is lost so often, though it was stored. */
const losingAnswers =
  (times: number) =>
  (units: DispatchUnits): DispatchUnits => ({
    ...units,
    async claim(input) {
      const answer = await units.claim(input)
      if (answer.claimed.length === 0 || times-- <= 0) return answer
      throw new StorageError('the server went away during COMMIT', 'outcome_unknown', true)
    },
  })

test('what was claimed by a commit that nobody answered for is given back, and goes once', async () => {
  const house = await openMessagesFixture(undefined, { around: losingAnswers(1) })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send({ to: ['+4915112345671', '+4915112345672'] })
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sending', 'sending'])
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['queued', 'queued'])
  await house.clock.advance(2_000)
  await house.dispatcher.drain()
  const attempts = await house.storage.read
    .selectFrom('attempts')
    .select(['number', 'state', 'ended_at'])
    .orderBy('number')
    .execute()
  expect(attempts.map(({ state }) => state).toSorted()).toEqual([
    'accepted',
    'accepted',
    'refused',
    'refused',
  ])
  expect(attempts.every(({ ended_at }) => ended_at !== null)).toBe(true)
  expect(new Set(await house.statuses())).toEqual(new Set(['sent']))
  expect(
    await house.storage.read
      .selectFrom('wallets')
      .select(['reserved', 'used'])
      .where('mode', '=', 'live')
      .execute(),
  ).toEqual([{ reserved: 0, used: 2 }])
})

test('a stop gives it back too: the next start would not know that it never left', async () => {
  const house = await openMessagesFixture(undefined, { around: losingAnswers(1) })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sending'])
  await house.dispatcher.stop()
  expect(await house.statuses()).toEqual(['queued'])
})

/** The attempt as it stood while a message was being handed over: what a database that is put back shows again. */
async function putBack(house: MessagesFixture, { isHeld = false } = {}): Promise<void> {
  const { read, writer } = house.storage
  const [attempt] = await read.selectFrom('attempts').selectAll().execute()
  const [message] = await read.selectFrom('messages').selectAll().execute()
  if (attempt === undefined || message === undefined) throw new Error('nothing was sent')
  await writer.write(async (tx) => {
    const open = { state: 'handing_over', ended_at: null, outcome: null, network_ids: null } as const
    const place = { route_key: 'live:', due_at: message.created_at, refusals: 0, restore_hold: isHeld ? 1 : 0 } as const
    await tx.updateTable('attempts').set({ ...open, ...place }).execute()
    await tx.updateTable('messages').set({ status: 'queued', device_id: null, attempts: 0, sent_at: null }).execute()
    await tx.deleteFrom('receipts_expected').execute()
  })
} // prettier-ignore

/** Fails the next claim before it is stored. */
const failing = { next: false }
const failingAtTimes = (units: DispatchUnits): DispatchUnits => ({
  ...units,
  claim(input) {
    if (!failing.next) return units.claim(input)
    failing.next = false
    return Promise.reject(new StorageError('the server is away', 'unavailable', true))
  },
})

const sentAndPutBack = async ({ isHeld = false } = {}) => {
  const house = await openMessagesFixture(undefined, { around: failingAtTimes })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  await house.send()
  await house.dispatcher.drain()
  expect(await house.statuses()).toEqual(['sent'])
  await putBack(house, { isHeld })
  await house.clock.advance(1_000)
  return house
}
const everAgain = async (house: MessagesFixture): Promise<[string[], string[]]> => {
  for (let i = 0; i < 5; i++) {
    await house.clock.advance(2_000)
    await house.dispatcher.drain()
  }
  const attempts = await house.storage.read.selectFrom('attempts').select('state').execute()
  return [await house.statuses(), attempts.map(({ state }) => state).toSorted()]
}

test.for([{ isHeld: false }, { isHeld: true }])(
  'a database that was put back while a claim failed makes nothing go again that had gone: %o',
  async (how) => {
    const house = await sentAndPutBack(how)
    failing.next = true
    await house.send({ to: ['+4915112345672'] })
    await house.dispatcher.drain()
    expect(failing.next).toBe(false)
    const [[first, second], attempts] = await everAgain(house)
    expect(first).toBe('unconfirmed')
    expect(['sent', 'delivered']).toContain(second)
    expect(attempts).toEqual(['accepted', 'unknown'])
  },
)

test('and nothing stays in the middle of a hand-over when only the beat has seen it', async () => {
  const house = await sentAndPutBack()
  house.dispatcher.wasRestored()
  expect(await everAgain(house)).toEqual([['unconfirmed'], ['unknown']])
})

test('a database that cannot say what stands open is asked again with the next poll, and not before', async () => {
  let asked = 0
  const house = await openMessagesFixture(undefined, {
    around: (units) => ({
      ...units,
      readOpen() {
        asked += 1
        return Promise.reject(new StorageError('the server is away', 'unavailable', true))
      },
    }),
  })
  onTestFinished(() => house.close())
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  house.dispatcher.wasRestored()
  await house.send()
  await house.dispatcher.drain()
  const before = asked
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(10)
  await house.clock.advance(500)
  await house.dispatcher.drain()
  expect(asked).toBeGreaterThan(before)
  expect(asked - before).toBeLessThan(10)
  expect(await house.statuses()).toEqual(['queued'])
})
