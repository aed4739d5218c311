import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../src/storage/seam/database-time.ts'
import { type Beat, beatNode, joinNodes, leaveNodes } from '../../src/storage/instance/nodes.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { openCluster } from './cluster.ts'

let base: TestStorage
beforeEach(async () => {
  base = await openTestStorage()
  onTestFinished(() => base.close())
})

const join = (epoch: number, name: string, before: number | null = null): Promise<void> =>
  base.storage.writer.write((tx) =>
    joinNodes(tx, base.clock, { epoch, name, before, isAlone: false, tidies: true }),
  )
const beat = (epoch: number): Promise<Beat> =>
  base.storage.writer.write((tx) =>
    beatNode(tx, base.clock, { epoch, name: 'n', tidies: true, marks: ['m'] }),
  )
/** Nodes say nothing for a while: by the database's own time, so what they have said moves back. */
const keepSilent = (epoch: number, ms: number): Promise<unknown> =>
  base.storage.writer.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ beat_at: sql`beat_at - ${ms}` })
      .where('epoch', '=', epoch)
      .execute(),
  )

test('the time of several nodes is that of their database, however their own clocks go', async () => {
  base.clock.jumpWallClock(-86_400_000)
  const told = await databaseTime(base.storage.read, base.clock)
  expect(Math.abs(told - Date.now())).toBeLessThan(5_000)
})

test('each node knows who lives: whoever joined, and neither left nor kept silent for 45 s', async () => {
  await join(1, 'north')
  await join(2, 'south')
  await join(3, 'west')
  expect(await beat(2)).toMatchObject({
    alive: [1, 2, 3],
    leader: 1,
    silenced: [],
    wasSilenced: false,
    held: null,
  })
  await base.storage.writer.write((tx) => leaveNodes(tx, base.clock, 3))
  expect((await beat(2)).alive).toEqual([1, 2])
  await keepSilent(1, usualTimes.silenceMs - 5_000)
  expect(await beat(2)).toMatchObject({ alive: [1, 2], silenced: [] })
  await keepSilent(1, 5_000)
  expect(await beat(2)).toMatchObject({ alive: [2], silenced: [1] })
  expect(await beat(2)).toMatchObject({ alive: [2], silenced: [] })
  // It had only stood still.
  expect(await beat(1)).toMatchObject({ alive: [1, 2], leader: 1, silenced: [], wasSilenced: true })
  expect((await beat(1)).wasSilenced).toBe(false)
})

test('of those that may tidy up the one that began first does, and nobody where none may', async () => {
  const start = (epoch: number, tidies: boolean) => ({
    epoch,
    name: `n${epoch}`,
    before: null,
    isAlone: false,
    tidies,
  })
  for (const [epoch, tidies] of [
    [1, false],
    [2, true],
    [3, true],
  ] as const)
    await base.storage.writer.write((tx) => joinNodes(tx, base.clock, start(epoch, tidies)))
  expect((await beat(3)).leader).toBe(2)
  for (const epoch of [2, 3]) await base.storage.writer.write((tx) => leaveNodes(tx, base.clock, epoch))
  const first = await base.storage.writer.write((tx) =>
    beatNode(tx, base.clock, { ...start(1, false), marks: ['m'] }),
  )
  expect(first).toMatchObject({ alive: [1], leader: null })
})

test('a start in the same data folder follows the one before at once, whatever either is called', async () => {
  await join(1, 'north')
  await join(2, 'south')
  await join(3, 'north', 1)
  expect((await beat(3)).alive).toEqual([2, 3])
  await join(4, 'renamed', 3)
  expect((await beat(4)).alive).toEqual([2, 4])
})

test('a name that a living node bears is refused to another data folder, until that node has been silent for 45 s', async () => {
  await join(1, 'north')
  await expect(join(2, 'north')).rejects.toThrow(/A server named north has been running.*ONESIXTY_NODE/)
  await expect(join(2, 'north', 7)).rejects.toThrow(/has been running on this database/)
  await keepSilent(1, usualTimes.silenceMs)
  await join(2, 'north')
  expect((await beat(2)).alive).toEqual([2])
})

test('whoever is alone with the database follows everybody', async () => {
  await join(1, 'north')
  await base.storage.writer.write((tx) =>
    joinNodes(tx, base.clock, { epoch: 2, name: 'south', before: null, isAlone: true, tidies: true }),
  )
  expect((await beat(2)).alive).toEqual([2])
})

test('two servers of one database run each link once, and the other takes them when one stops', async () => {
  const cluster = await openCluster()
  const north = await cluster.start({ ONESIXTY_NODE: 'north' })
  const south = await cluster.start({ ONESIXTY_NODE: 'south' })
  const owners = async (): Promise<(string | null)[]> =>
    (await south.app.storage.read.selectFrom('devices').select('lease_owner').execute()).map(
      ({ lease_owner }) => lease_owner,
    )
  expect(await owners()).toEqual(['north'])
  await expect(cluster.start({ ONESIXTY_NODE: 'north' })).rejects.toThrow(
    'A server named north has been running',
  )
  await north.stop()
  await expect.poll(owners, { timeout: 15_000, interval: 100 }).toEqual(['south'])
  const alive = await south.app.storage.read
    .selectFrom('nodes')
    .select('name')
    .where('left_at', 'is', null)
    .execute()
  expect(alive).toEqual([{ name: 'south' }])
})

test('servers without names of their own on one machine are told apart by their data folders', async () => {
  const cluster = await openCluster()
  const [one, two] = [await cluster.start(), await cluster.start()]
  const names = await one.app.storage.read.selectFrom('nodes').select('name').execute()
  expect(new Set(names.map(({ name }) => name)).size).toBe(2)
  expect(two.app.epoch.epoch).toBeGreaterThan(one.app.epoch.epoch)
})
