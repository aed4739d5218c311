import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepNumber, readLastChange, takeChange } from '../../src/messages/core/change-number.ts'
import { createDispatchUnits } from '../../src/dispatch/submissions/dispatch-units.ts'
import { advanceProgress, catchUp, RestoredError } from '../../src/storage/instance/progress.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { laneOf, lanesHeld } from '../../src/storage/seam/lanes.ts'
import { insertRows, selectEach } from '../../src/storage/seam/sets.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { openTwoWriters, type TwoWriters } from '../two-writers.ts'
import { isSomebodyWaiting } from './waiting-writers.ts'

let writers: TwoWriters
let one: Writer
let other: Writer

beforeAll(async () => {
  writers = await openTwoWriters()
  ;[one, other] = writers.nodes.map(({ writer }) => writer) as [Writer, Writer]
})
afterAll(() => writers.close())

const of =
  (...accountIds: string[]) =>
  () =>
    accountIds
const nothing = async (): Promise<void> => undefined
/** A statement that every transaction may make: without one, none begins. */
const look = (tx: Tx) =>
  selectEach(tx, { sql: 'select :account as a', inputs: ['account'], lanes: 'fixed' }, [['acc_a']])

/** A transaction that is open until it is ended. */
async function hold(writer: Writer, accounts: () => string[] | null): Promise<() => Promise<void>> {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = writer.writeFor(accounts, async (tx) => {
    await look(tx)
    begun.resolve()
    await goOn.promise
  })
  await begun.promise
  return () => (goOn.resolve(), held)
}

/** What one writer holds, what the other one asks for, and whether it waits. */
const tried: readonly {
  name: string
  held: () => string[] | null
  asked: () => string[] | null
  waits: boolean
}[] = [
  { name: 'of other lanes run beside each other', held: of('acc_a'), asked: of('acc_b'), waits: false },
  {
    name: 'with a lane in common wait for each other',
    held: of('acc_a', 'acc_c'),
    asked: of('acc_c', 'acc_b'),
    waits: true,
  },
  { name: 'without lanes wait for those with lanes', held: of('acc_a'), asked: () => null, waits: true },
  { name: 'with lanes wait for those without', held: () => null, asked: of('acc_a'), waits: true },
]

test.for(tried)('units $name', async ({ held, asked, waits }) => {
  const ended: string[] = []
  const end = await hold(one, held)
  const asking = other.writeFor(asked, look).then(() => ended.push('asked'))
  if (waits) await expect.poll(() => isSomebodyWaiting(writers.nodes[0].read)).toBe(true)
  else await asking
  ended.push('held')
  await end()
  await asking
  expect(ended).toEqual(waits ? ['held', 'asked'] : ['asked', 'held'])
})

const leavings: Record<string, (tx: Tx) => Promise<unknown>> = {
  'a row of another account': (tx) =>
    insertRows(tx, 'traffic', [{ account_id: 'acc_b', mode: 'live', grain: 'hours6', bucket: 0 }], 'ignore'),
  'a row of no account': (tx) =>
    insertRows(
      tx,
      'parked_receipts',
      [{ network_id: 'n', device_id: 'd', reading: 0, body: '{}', received_at: 1 }],
      'ignore',
    ),
  'a read by another account': (tx) =>
    selectEach(tx, { sql: 'select id from accounts where id = :account', inputs: ['account'] }, [['acc_b']]),
  'a read by no account': (tx) =>
    selectEach(tx, { sql: 'select id from accounts where name = :name', inputs: ['name'] }, [['n']]),
  'a statement of which nobody knows': (tx) => sql`select 1`.execute(tx),
  'one whose error is caught': (tx) => sql`select 1`.execute(tx).catch(nothing),
}

test.for(Object.keys(leavings))(
  'after %s the whole transaction runs again, as the only one',
  async (name) => {
    const before = one.widened
    const ran: string[] = []
    const note = (unit: string, work: (tx: Tx) => Promise<unknown>) =>
      one.writeFor(of('acc_a'), async (tx) => {
        ran.push(`${unit} ${lanesHeld(tx) === null ? 'alone' : 'with lanes'}`)
        await look(tx)
        return work(tx).catch((error: unknown) => {
          if (lanesHeld(tx) !== null) throw error
        })
      })
    await Promise.all([note('first', nothing), note('leaves', leavings[name]!)])
    expect(ran).toEqual(['first with lanes', 'leaves with lanes', 'first alone', 'leaves alone'])
    expect(one.widened - before).toBe(1)
  },
)

test('a unit that comes while its transaction waits joins it if it holds its lanes, and none behind one that does not', async () => {
  const [ended, held] = [[] as string[], (tx: Tx) => lanesHeld(tx)?.lanes.length]
  const ask = (name: string, accounts: () => string[] | null) =>
    one.writeFor(accounts, async (tx) => {
      await look(tx)
      ended.push(`${name}: ${held(tx) ?? 'all'}`)
    })
  const whileHeld = async (late: () => Promise<void>[]): Promise<void> => {
    ended.length = 0
    const end = await hold(other, of('acc_a'))
    const first = ask('a', of('acc_a'))
    await expect.poll(() => isSomebodyWaiting(writers.nodes[0].read)).toBe(true)
    const later = late()
    await end()
    await Promise.all([first, ...later])
  }
  // A writer that has waited lets others join the next time.
  await whileHeld(() => [])
  await whileHeld(() => [ask('a too', of('acc_a')), ask('b', of('acc_b')), ask('a again', of('acc_a'))])
  expect(ended).toEqual(['a: 1', 'a too: 1', 'b: 2', 'a again: 2'])
})

const numbered = (writer: Writer, accounts: () => string[] | null, accountId: string) =>
  writer.writeFor(accounts, async (tx) => {
    const unit = await takeChange(tx, 1_000)
    await keepNumber(tx, unit, [accountId])
    return unit.number
  })

test('each lane has numbers of its own, and those of a unit that runs alone are behind all of them and before all that follow', async () => {
  const { read } = writers.nodes[0]
  const first = await numbered(one, of('acc_a'), 'acc_a')
  expect(await numbered(other, of('acc_a', 'acc_b'), 'acc_a')).toBe(first + 1)
  expect(await numbered(other, of('acc_b'), 'acc_b'), 'nothing of its lane was numbered').toBe(first)
  const alone = await numbered(one, () => null, 'acc_c')
  expect(alone).toBe(first + 2)
  expect(await numbered(other, of('acc_b'), 'acc_b')).toBe(first + 3)
  const lasts = await Promise.all(['acc_a', 'acc_b', 'acc_c'].map((id) => readLastChange(read, id)))
  expect(lasts).toEqual([alone, alone + 1, alone])
})

test('two nodes add to the progress of one database at once, and each knows at least what it has seen', async () => {
  const advance = (writer: Writer, accountId: string, known: number, epoch: number) =>
    writer.writeFor(of(accountId), (tx) => advanceProgress(tx, known, epoch))
  const total = () => one.write((tx) => catchUp(tx, 0)).then(({ progress }) => progress)
  const before = await total()
  const end = await hold(other, of('acc_b'))
  const first = await advance(one, 'acc_a', before, 1)
  expect(first, 'it waited for nobody').toBe(before + 1)
  await end()
  const second = await advance(other, 'acc_b', first, 2)
  expect([second, await total()]).toEqual([before + 2, before + 2])
  // As a database that is put back, which lacks what another node did.
  await one.write((tx) => tx.deleteFrom('node_progress').where('epoch', '=', 2).execute())
  await expect(advance(one, 'acc_a', second, 1)).rejects.toThrow(RestoredError)
  await one.write((tx) => catchUp(tx, second))
  expect(await advance(one, 'acc_a', second, 1)).toBe(second + 1)
})

test('claims of two nodes that each counted before the commit of the other leave both counts in their files', async () => {
  const { read } = writers.nodes[0]
  const before = await one.write((tx) => catchUp(tx, 0)).then(({ progress }) => progress)
  const counted = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const claims = [one, other].map((writer, i) =>
    writer.writeFor(of(`acc_${'ab'[i]}`), async (tx) => {
      const progress = await advanceProgress(tx, before, i + 1)
      counted[i]?.resolve()
      await Promise.all(counted.map(({ promise }) => promise))
      return progress
    }),
  )
  expect(await Promise.all(claims)).toEqual([before + 1, before + 1])
  const inFile: number[] = []
  const { claim } = createDispatchUnits({
    storage: { runUnit: async () => ({ claimed: [], progress: before + 1 }), priorityRead: read },
    clock: { now: () => 0 },
    changes: { after: async (writing: Promise<unknown>) => writing },
    quiet: { withHours: (requests: unknown) => requests },
    progress: {
      progress: before,
      catchUp: () => undefined,
      write: (progress: number) => void inFile.push(progress),
    },
  } as unknown as Parameters<typeof createDispatchUnits>[0])
  await claim({ requests: [], nowMs: 0, dueMs: 0, fence: 1 })
  expect(inFile, 'that of the claim first, should another server answer').toEqual([before + 1, before + 2])
})

test('a unit whose accounts cannot be told fails alone', async () => {
  const told = one.writeFor(
    () => {
      throw new Error('no account')
    },
    async () => Promise.reject(new Error('this unit')),
  )
  const beside = one.write(async () => 'done')
  await expect(told).rejects.toThrow('this unit')
  expect(await beside).toBe('done')
})

test('accounts spread over the lanes', () => {
  const lanes = new Set(Array.from({ length: 4_000 }, (_, i) => laneOf(`acc_${i}`)))
  expect(lanes.size).toBeGreaterThan(950)
})
