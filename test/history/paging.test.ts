import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyMessage, type HistoryPosition } from '../../src/messages/history/history-query.ts'
import { readHistory } from '../../src/messages/history/history.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { units } from '../../src/messages/units.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { openTestStorage } from '../open-test-storage.ts'
import { ada, deliveredAt, failedAt, idsOf, store, storedMessage, walkHistory } from './stored-messages.ts'

test('newest first: while messages arrive nothing is shown twice and nothing that was there is left out', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const arrive = (): Promise<unknown> =>
    store(storage, [storedMessage({ id: ids('msg'), created_at: clock.now() })])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 7 }),
      async (arrivals, limit) => {
        await store(
          storage,
          Array.from({ length: 5 }, () => storedMessage({ id: ids('msg'), created_at: clock.now() })),
        )
        const before = idsOf(
          await storage.read.selectFrom('messages').select('id').orderBy('id', 'desc').execute(),
        )
        const { rows } = await walkHistory(storage, {
          limit,
          between: async () => {
            await clock.advance(arrivals.length)
            for (let left = arrivals.pop() ?? 0; left > 0; left--) await arrive()
          },
        })
        expect(idsOf(rows)).toEqual(before)
      },
    ),
    { numRuns: 15 },
  )
  await close()
})

type Step =
  | { kind: 'ask'; recipients: number }
  | { kind: 'commit'; which: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'page' }

const steps = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 3 }).map((recipients): Step => ({ kind: 'ask', recipients })),
    fc.nat().map((which): Step => ({ kind: 'commit', which })),
    fc.integer({ min: -3, max: 3 }).map((ms): Step => ({ kind: 'wait', ms })),
    fc.constant<Step>({ kind: 'page' }),
  ),
  { minLength: 10, maxLength: 60 },
)

test(
  'oldest first: sends that are stored in another order than they were asked for, and while a clock steps back, are never passed by',
  { timeout: 60_000 },
  async () => {
    const house = await openMessagesFixture()
    const { storage, clock } = house
    let account = 0
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (script, limit) => {
        const owner = { accountId: `acc_${account++}`, mode: ada.mode }
        await house.addAccount(owner.accountId, 1_000)
        const open: SendRequest[] = []
        const seen: string[] = []
        let position: HistoryPosition | null = null

        const page = async (): Promise<void> => {
          const query = { ...everyMessage, order: 'asc' as const }
          const { rows } = await readHistory(storage.read, { owner, query, position, limit })
          seen.push(...idsOf(rows))
          const last = rows.at(-1)
          if (last !== undefined) position = { id: last.id, updatedAtMs: null }
        }
        const commit = async (which: number): Promise<void> => {
          const [request] = open.splice(which % Math.max(1, open.length), 1)
          if (request !== undefined) await storage.writer.write((tx) => units.sendMessages(tx, [request]))
        }
        for (const step of script) {
          if (step.kind === 'ask') {
            const to = Array.from({ length: step.recipients }, (_, i) => `+4915112345${100 + i}`)
            open.push(house.request({ accountId: owner.accountId, to }))
          } else if (step.kind === 'commit') await commit(step.which)
          else if (step.kind === 'wait') clock.jumpWallClock(step.ms)
          else await page()
        }
        while (open.length > 0) await commit(0)
        const all = idsOf(
          await storage.read
            .selectFrom('messages')
            .select('id')
            .where('account_id', '=', owner.accountId)
            .orderBy('id')
            .execute(),
        )
        expect(seen).toEqual(all.slice(0, seen.length))
        for (let before = -1; before !== seen.length;) {
          before = seen.length
          await page()
        }
        expect(seen).toEqual(all)
      }),
      { numRuns: 25 },
    )
    await house.close()
  },
)

test('messages that are asked for by id come in either order, and by reference and number as well', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const rows = ['+4915112345678', '+4915187654321'].flatMap((recipient) =>
    ['a', 'b', null].map((client_reference) =>
      storedMessage({ id: ids('msg'), created_at: clock.now(), recipient, client_reference }),
    ),
  )
  await store(storage, rows)
  const asked = idsOf(rows).slice(1)
  for (const to of [null, '+4915112345678'])
    for (const clientReference of [null, 'b']) {
      const fits = rows.filter(
        (row) =>
          asked.includes(row.id) &&
          (to === null || row.recipient === to) &&
          (clientReference === null || row.client_reference === clientReference),
      )
      const query = { ids: asked, to, clientReference }
      const newest = await walkHistory(storage, { query, limit: 2 })
      const oldest = await walkHistory(storage, { query: { ...query, order: 'asc' }, limit: 2 })
      expect(idsOf(newest.rows)).toEqual(idsOf(fits).toReversed())
      expect(idsOf(oldest.rows)).toEqual(idsOf(fits))
    }
  await close()
})

test('a search looks at a bounded number of messages a page and still finds every match once', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const wanted: string[] = []
  const rows = Array.from({ length: 9_000 }, (_, i) => {
    const row = storedMessage({
      id: ids('msg'),
      created_at: clock.now(),
      ...(i % 1_500 === 7 ? deliveredAt(clock.now() + i) : {}),
    })
    if (row.status === 'delivered') wanted.push(row.id)
    return row
  })
  await store(storage, rows)

  const newest = await walkHistory(storage, { query: { statuses: ['delivered'] }, limit: 2 })
  const oldest = await walkHistory(storage, { query: { statuses: ['delivered'], order: 'asc' }, limit: 2 })
  const nothing = await walkHistory(storage, { query: { from: 'Nobody', to: '+4915112345678' } })

  expect(idsOf(newest.rows)).toEqual(wanted.toReversed())
  expect(idsOf(oldest.rows)).toEqual(wanted)
  expect(nothing.rows).toEqual([])
  expect(nothing.pages).toBeGreaterThanOrEqual(3)
  await close()
})

test('a search among changes looks at a bounded number of messages a page and still finds every match once', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const startMs = clock.now()
  const rows = Array.from({ length: 6_000 }, (_, i) => {
    // A few units, and some of them in one millisecond.
    const atMs = startMs + Math.floor(i / 70)
    const settled = i % 1_500 === 7 ? failedAt(atMs, 'unreachable') : deliveredAt(atMs)
    return storedMessage({ id: ids('msg'), created_at: startMs, ...settled })
  })
  await store(storage, rows)
  const { rows: found, pages } = await walkHistory(storage, {
    query: { updatedAfterMs: startMs, statuses: ['failed'] },
    limit: 3,
  })
  const all = await walkHistory(storage, { query: { updatedAfterMs: startMs } })

  expect(idsOf(found)).toEqual(idsOf(rows.filter((row) => row.status === 'failed')))
  expect(pages).toBeGreaterThanOrEqual(3)
  expect(idsOf(all.rows)).toEqual(idsOf(rows))
  await close()
})

test('a wall clock that was set back by a little hides nothing from created_before', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const first = storedMessage({ id: ids('msg'), created_at: clock.now() })
  clock.jumpWallClock(-400)
  const second = storedMessage({ id: ids('msg'), created_at: clock.now() })
  await store(storage, [first, second])

  const { rows } = await walkHistory(storage, { query: { createdBeforeMs: first.created_at } })

  expect(idsOf(rows)).toEqual([second.id])
  await close()
})

test('after the clock was ahead by much a page of created_before still reads a bounded number of messages', async () => {
  const { storage, clock, ids, close } = await openTestStorage()
  const early = storedMessage({ id: ids('msg'), created_at: clock.now() })
  await clock.advance(1)
  const late = Array.from({ length: 6_000 }, () => storedMessage({ id: ids('msg'), created_at: clock.now() }))
  await store(storage, [early, ...late])
  await storage.writer.write((tx) => tx.updateTable('instance').set({ clock_lag_ms: 3_600_000 }).execute())

  const { rows, pages } = await walkHistory(storage, { query: { createdBeforeMs: clock.now() } })

  expect(idsOf(rows)).toEqual([early.id])
  expect(pages).toBe(3)
  await close()
})
