import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { createWebhookPurger } from '../../src/dispatch/sweepers/webhook-purger.ts'
import { createLog } from '../../src/process/log.ts'
import { eraseTexts } from '../../src/privacy/erase-texts.ts'
import { eraseNumber } from '../../src/privacy/erase-number.ts'
import { dropWebhooks } from '../../src/privacy/erase-webhooks.ts'
import { recordEvents } from '../../src/messages/core/events.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { removeEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { tablesWith } from '../messages/every-cell.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { readDueEndpoints } from '../../src/webhooks/claim-deliveries.ts'
import { answered, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
beforeEach(async () => {
  house = await openWebhookHouse()
})
afterEach(() => house.close())

const tables = ['webhook_events', 'webhook_deliveries', 'webhook_attempts', 'webhook_endpoints'] as const
const counts = async (): Promise<number[]> =>
  Promise.all(
    tables.map(
      async (table) => (await house.storage.read.selectFrom(table).select('account_id').execute()).length,
    ),
  )
const forgetter = (atOnce?: number) =>
  createWebhookPurger(
    {
      read: house.storage.read,
      writer: house.storage.writer,
      clock: house.clock,
      log: createLog('silent', { write: () => undefined }),
      logDays: 30,
    },
    atOnce,
  )

test('what was told so long ago is forgotten, and what is younger stays', async () => {
  await house.addEndpoint()
  for (let i = 0; i < 3; i++) await house.send()
  await house.deliverer.drain()
  house.clock.jumpWallClock(20 * dayMs)
  await house.send()
  await house.deliverer.drain()
  expect(await counts()).toEqual([4, 4, 4, 1])
  await forgetter().sweepAll()
  expect(await counts()).toEqual([4, 4, 4, 1])
  house.clock.jumpWallClock(10 * dayMs + 1)
  await forgetter().sweepAll()
  expect(await counts()).toEqual([1, 1, 1, 1])
})

test('however many endpoints there are, a sweep looks at some, and the next ones at the others', async () => {
  for (const url of ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'])
    await house.addEndpoint({ url })
  await house.send()
  await house.deliverer.drain()
  house.clock.jumpWallClock(30 * dayMs + 1)
  const { length } = house.posted
  expect([length, ...(await counts())]).toEqual([4, 1, 4, 4, 4])
  const slow = forgetter(2)
  await slow.sweepAll()
  expect(await counts()).toEqual([0, 2, 2, 4])
  await slow.sweepAll()
  expect(await counts()).toEqual([0, 0, 0, 4])
  // And from the first on again.
  for (let i = 0; i < 2; i++) await slow.sweepAll()
  await house.send()
  await house.deliverer.drain()
  house.clock.jumpWallClock(30 * dayMs + 1)
  for (let i = 0; i < 3; i++) await slow.sweepAll()
  expect(await counts()).toEqual([0, 0, 0, 4])
})

test('of an endpoint that was removed what it was told goes at once, and the rest when its events are old', async () => {
  const { endpointId } = await house.addEndpoint()
  await house.addEndpoint()
  await house.send()
  await house.deliverer.drain()
  await house.storage.writer.write((tx) =>
    removeEndpoint(
      tx,
      { ids: house.ids, nowMs: house.clock.now() },
      { accountId: 'acc_a', endpointId, actor: 'test' },
    ),
  )
  await forgetter().sweepAll()
  expect(await counts()).toEqual([1, 1, 1, 2])
  house.clock.jumpWallClock(30 * dayMs + 1)
  await forgetter().sweepAll()
  expect(await counts()).toEqual([0, 0, 0, 1])
})

const tellOptOut = (number: string) =>
  house.storage.writer.write((tx) =>
    recordEvents(tx, [
      {
        type: 'recipient.opted_out',
        accountId: 'acc_a',
        mode: 'live',
        atMs: house.clock.now(),
        subject: 'a',
        facts: {},
        recipient: number,
      },
    ]),
  )

function erase(number: string) {
  const { storage, clock, ids } = house
  const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })
  return eraseNumber(
    {
      read: storage.read,
      writer: storage.writer,
      clock,
      ids,
      numbers,
    },
    { number, accountId: 'acc_a', actor: 'test', code: 'canceled_by_operator' },
  )
}

test('a number that is erased is in no event and no answer any more', async () => {
  const number = '+4915112345678'
  await house.addEndpoint()
  house.answer = () => ({ ...answered(500), answer: `cannot reach ${number}` }) as ReturnType<typeof answered>
  await house.send({ to: [number] })
  await tellOptOut(number)
  await house.deliverer.drain()
  expect(JSON.parse(house.posted.find(({ body }) => body.includes('opted_out'))?.body ?? '{}')).toMatchObject(
    {
      data: { recipient: number },
    },
  )
  expect(await tablesWith(house.storage.read, [number.slice(1)])).toEqual(
    expect.arrayContaining(['webhook_attempts', 'webhook_events']),
  )
  await erase(number)
  expect(await tablesWith(house.storage.read, [number.slice(1)])).toEqual([])
})

/** One POST that is under way until a test says what came of it. */
async function postUnderWay(): Promise<{ answer: (text: string) => Promise<void> }> {
  const hanging = Promise.withResolvers<ReturnType<typeof answered>>()
  house.answer = () => hanging.promise
  house.deliverer.nudge()
  await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  return {
    async answer(text) {
      house.answer = () => answered(200)
      hanging.resolve({ ...answered(500), answer: text } as ReturnType<typeof answered>)
      await house.deliverer.drain()
    },
  }
}

const answers = async () =>
  (await house.storage.read.selectFrom('webhook_attempts').select('answer').orderBy('at').execute()).map(
    ({ answer }) => answer,
  )

test('an answer that comes after its number was erased is logged without what it says', async () => {
  const number = '+4915112345678'
  await house.addEndpoint({ types: ['message.queued'] })
  await house.send({ to: [number] })
  const posted = await postUnderWay()
  await erase(number)
  await posted.answer(`cannot reach ${number}`)
  expect(await answers()).toEqual([null])
  expect(await tablesWith(house.storage.read, [number.slice(1)])).toEqual([])
})

test('an answer about a person who was erased meanwhile is logged without what it says', async () => {
  const number = '+4915112345678'
  await house.addEndpoint({ types: ['recipient.opted_out'] })
  await tellOptOut(number)
  const posted = await postUnderWay()
  await erase(number)
  await posted.answer(`cannot reach ${number}`)
  expect(await answers()).toEqual([null])
})

test('an answer that comes after all of its account was erased is not logged', async () => {
  await house.addEndpoint({ types: ['message.queued'] })
  await house.send()
  const posted = await postUnderWay()
  const { writer } = house.storage
  while ((await writer.write((tx) => dropWebhooks(tx, null, { accountId: 'acc_a' }))) > 0);
  await posted.answer('cannot reach +4915112345678')
  expect(await counts()).toEqual([0, 0, 0, 0])
})

const echo = () => {
  house.answer = ({ body }) => ({ ...answered(500), answer: body }) as ReturnType<typeof answered>
}

test('a text that is erased is in no answer any more, and other answers stay', async () => {
  await house.addEndpoint({ types: ['message.queued'] })
  echo()
  await house.send({ text: 'Meet me at the old mill' })
  const texts = await house.storage.read
    .selectFrom('messages')
    .select(['account_id', 'mode', 'id', 'finalized_at'])
    .execute()
  await house.send({ text: 'Bring the boat' })
  await house.deliverer.drain()
  expect(await tablesWith(house.storage.read, ['old mill'])).toContain('webhook_attempts')
  await house.storage.writer.write((tx) => eraseTexts(tx, texts))
  expect(await tablesWith(house.storage.read, ['old mill'])).toEqual([])
  expect(await tablesWith(house.storage.read, ['Bring the boat'])).toContain('webhook_attempts')
})

test('answers to events of authentication messages are not kept, so that no code is left where they say it', async () => {
  await house.addEndpoint({ types: ['message.queued'] })
  echo()
  await house.send({ text: 'Your code is 271828', category: 'authentication' })
  await house.deliverer.drain()
  expect(house.posted[0]?.body).toContain('271828')
  expect(await answers()).toEqual([null])
})

test.for(['fresh', 'analysed'])(
  'what is due is found in steps from endpoint to endpoint, on %s tables',
  async (state) => {
    await house.addEndpoint()
    const { storage } = house
    const rows = sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < 4999)`
    await storage.writer.write((tx) =>
      sql`${rows} insert into webhook_deliveries (account_id, endpoint_id, event_id, due_at)
      select 'acc_a', 'whk_' || cast(i / 1000 as text), 'evt_' || cast(i as text), cast(8000000000000 as bigint) from n where true`.execute(
        tx,
      ),
    )
    if (state === 'analysed') await storage.writer.write(analyse)
    const statements = await statementsOf(storage.read, () =>
      readDueEndpoints(storage.read, house.clock.now()),
    )
    const steps = await stepsOf(house.dataFolder, ...statements)
    const whole = isPostgres ? /^SCAN \w+$/ : /^SCAN (webhook_deliveries|webhook_endpoints|accounts|[dwa])$/
    expect(steps.filter((step) => whole.test(step))).toEqual([])
    const searched = isPostgres
      ? /^SEARCH webhook_deliveries BY webhook_deliveries_open \(endpoint_id= due_at<=\)$/
      : /^SEARCH d USING INDEX webhook_deliveries_open \(endpoint_id=\? AND due_at<\?\)$/
    expect(steps.filter((step) => searched.test(step))).toHaveLength(1)
  },
)
