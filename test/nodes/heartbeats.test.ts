import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Sweeper } from '../../src/dispatch/sweepers/sweeper.ts'
import { Heartbeats } from '../../src/dispatch/nodes/heartbeats.ts'
import { createLog } from '../../src/process/log.ts'
import { releaseHeld } from '../../src/storage/instance/epoch.ts'
import { joinNodes } from '../../src/storage/instance/nodes.ts'
import { acceptSecrets, agreeOnSecrets } from '../../src/storage/instance/secret-mark.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { enqueueTwo, readHolds } from '../cli/waiting-queue.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
beforeEach(async () => {
  base = await openTestStorage()
  onTestFinished(() => base.close())
})

const silent = createLog('silent', { write: () => undefined })

async function startNode(
  epoch: number,
  { tidies = true, log = silent, marks = ['m'], secretGivenUp = vi.fn<() => void>() } = {},
): Promise<{ beats: Heartbeats; swept: () => number }> {
  const { writer } = base.storage
  const node = { epoch, name: `n${epoch}`, isAlone: false, tidies }
  await writer.write((tx) => joinNodes(tx, base.clock, { ...node, before: null }))
  const beats = new Heartbeats({
    writer,
    log,
    clock: base.clock,
    marks,
    secretGivenUp,
    progress: { progress: 0, write: () => undefined },
    ...node,
  })
  await beats.start()
  let count = 0
  const sweep = async (): Promise<boolean> => {
    count += 1
    return false
  }
  const janitor = new Sweeper(
    { clock: base.clock, log, leads: beats.leads },
    { name: 'j', intervalMs: 1_000, sweep },
  )
  await janitor.start()
  onTestFinished(() => janitor.stop())
  return { beats, swept: () => count }
}

/** Second by second, and what falls due in each has its answer of the database before the next. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await base.clock.advance(1_000)
    await base.storage.writer.drain()
    await base.clock.advance(0)
  }
}

test('of several nodes the one that began first tidies up for all, and the next when it leaves', async () => {
  const one = await startNode(1)
  const two = await startNode(2)
  const three = await startNode(3)
  await pass(10)
  expect([one.swept(), two.swept(), three.swept()]).toEqual([10, 0, 0])
  expect(two.beats.count).toBe(3)
  await one.beats.stop()
  await pass(6)
  const [before, taken] = [one.swept(), two.swept()]
  expect(taken).toBeGreaterThan(0)
  await pass(5)
  expect([two.swept(), three.swept()]).toEqual([taken + 5, 0])
  expect(before).toBeGreaterThanOrEqual(10)
})

test('a node that is silent is followed by the next, and one whose beats do not come through tidies up no more', async () => {
  const one = await startNode(1)
  const two = await startNode(2)
  // As if a pause of 45 s had passed in which only the second beat.
  await base.storage.writer.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ beat_at: sql`beat_at - ${usualTimes.silenceMs}` })
      .where('epoch', '=', 1)
      .execute(),
  )
  await two.beats.sweepAll()
  expect(two.beats.leads()).toBe(true)
  expect(two.beats.count).toBe(1)
  // The first comes back: it began before, and leads again once both have heard of it.
  await one.beats.sweepAll()
  await two.beats.sweepAll()
  expect([one.beats.leads(), two.beats.leads()]).toEqual([true, false])
})

test('a leader that has not got through to the database for 35 s leads no more by its own clock', async () => {
  const one = await startNode(1)
  const { writer } = base.storage
  const held = Promise.withResolvers<void>()
  const blocking = writer.write(() => held.promise)
  await base.clock.advance(34_000)
  expect(one.beats.leads()).toBe(true)
  await base.clock.advance(2_000)
  expect(one.beats.leads()).toBe(false)
  held.resolve()
  await blocking
  await pass(6)
  expect(one.beats.leads()).toBe(true)
})

test('a node whose last word the database has forgotten holds what waits: the database was put back while the node went on', async () => {
  const one = await startNode(1)
  const two = await startNode(2)
  await enqueueTwo(base)
  await pass(10)
  expect(await readHolds(base)).toEqual([0, 0])
  // What both had said since some minutes ago is gone.
  await base.storage.writer.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ beat_at: base.clock.now() - 20_000 })
      .execute(),
  )
  await two.beats.sweepAll()
  expect(await readHolds(base)).toEqual([1, 1])
  await releaseHeld(base.storage)
  await two.beats.sweepAll()
  expect(await readHolds(base), 'it knows that it has said so').toEqual([0, 0])
  await one.beats.stop()
})

const goSilent = (): Promise<unknown> =>
  base.storage.writer.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ beat_at: sql`beat_at - ${usualTimes.silenceMs}` })
      .execute(),
  )
const markedSecrets = async (): Promise<string[]> => {
  const rows = await base.storage.read.selectFrom('secret_marks').select('mark').orderBy('mark').execute()
  return rows.map(({ mark }) => mark)
}

test.for([
  ['and counted as dead', true],
  ['while nobody looked', false],
] as const)(
  'a node whose secret was given up while it was silent, %s, is told to end, and lives no more',
  async ([, isSeen]) => {
    const secretGivenUp = vi.fn<() => void>()
    const one = await startNode(1, { secretGivenUp })
    const { writer, read } = base.storage
    await writer.write((tx) => agreeOnSecrets(tx, ['m'], base.clock.now()))
    await one.beats.sweepAll()
    await goSilent()
    if (isSeen) await startNode(2)
    await writer.write((tx) => acceptSecrets(tx, ['other'], base.clock.now()))
    const rowOfOne = () =>
      read.selectFrom('nodes').select(['beat_at', 'left_at']).where('epoch', '=', 1).executeTakeFirst()
    const before = await rowOfOne()
    expect(before?.left_at !== null).toBe(isSeen)
    await expect(one.beats.sweepAll()).rejects.toThrow('was declared lost')
    expect(secretGivenUp).toHaveBeenCalledWith({
      kind: 'other',
      missing: [expect.objectContaining({ mark: 'other' })],
    })
    expect(await rowOfOne()).toEqual(before)
    expect(await markedSecrets()).toEqual(['other'])
  },
)

test('a node that goes on after a silence brings back no former secret that was given up meanwhile', async () => {
  const one = await startNode(1, { marks: ['current', 'former'] })
  await goSilent()
  await base.storage.writer.write((tx) => acceptSecrets(tx, ['current'], base.clock.now()))
  await one.beats.sweepAll()
  expect(await markedSecrets()).toEqual(['current'])
  await one.beats.stop()
})

test('one that goes on over a database without marks marks every secret at hand', async () => {
  const one = await startNode(1, { marks: ['current', 'former'] })
  await goSilent()
  await one.beats.sweepAll()
  expect(await markedSecrets()).toEqual(['current', 'former'])
  await one.beats.stop()
})

test('where nobody may tidy up, that is said once, and again when it comes to that once more', async () => {
  let said = ''
  const log = createLog('error', { write: (line: string) => void (said += line) })
  const count = () => said.split('no live node has the role janitor').length - 1
  const one = await startNode(1, { tidies: false, log })
  await pass(10)
  expect(count()).toBe(1)
  const two = await startNode(2)
  await pass(6)
  await two.beats.stop()
  await pass(6)
  expect(count()).toBe(2)
  await one.beats.stop()
})
