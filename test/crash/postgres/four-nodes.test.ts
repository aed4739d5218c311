import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { expectNothingLostNorDoubled } from '../crash-house.ts'
import type { Load } from '../load.ts'
import { type NodeProcess, type NodesHouse, openNodesHouse } from './node-processes.ts'
import { sizeOf } from '../../proof-sizes.ts'
import { testTimes } from '../../quick-times.ts'

const names = ['north', 'east', 'south', 'west']
const perSecond = sizeOf('NODE_SENDS_PER_SECOND')
const killEachMs = 2 * testTimes.heartbeatMs
/** By then it counts as dead, and others have its links. */
const stoppedForMs = 2 * testTimes.silenceMs
/** 60 s with the usual times. */
const rescuedWithinMs = testTimes.silenceMs + testTimes.heartbeatMs + testTimes.rescueMs + 5_000
const kills = sizeOf('NODE_KILLS')
const devices = 8
/** Some hand-overs are always open, and eight of them take more than the long run sends: 333 a second. */
const device = { window: '5', submit_delay_ms: '120', delay_ms: '400' }

let house: NodesHouse
beforeAll(async () => {
  house = await openNodesHouse({ names, devices, settings: device })
})
afterAll(() => house.close())

test('of four nodes one is killed again and again, and one stands still for longer than a lease: nothing is lost or handed over twice, and old tokens start nothing', async () => {
  const owners = await everyLinkRuns()
  const still = house.nodes.find(({ name }) => name === owners[0]) as NodeProcess
  const others = house.nodes.filter((node) => node !== still)
  const loads = new Map(
    house.nodes.map((node): [NodeProcess, Load] => [
      node,
      // 503 says that nothing was stored, and to come back: the transaction was lost with its connection.
      house.load(node, { perSecond, name: node.name, isPatient: true }),
    ]),
  )
  for (const load of loads.values()) load.resume()
  for (const load of loads.values()) await acceptsMore(load)
  const [{ epoch: stillEpoch }] = (await house.rows<{ epoch: string }>(
    'select max(epoch)::int as epoch from nodes where name = $1',
    [still.name],
  )) as [{ epoch: string }]
  await stopInMidHandOver(still, stillEpoch)
  const heldWhenStopped = await openUnder(stillEpoch)
  const leasesWhenStopped = await leasesOf(still)
  const stillPaused = loads.get(still)!.pause()
  const stoppedMs = performance.now()
  const goingOn = goesOnOnceRescued(still, stillEpoch, leasesWhenStopped, stoppedMs)
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      await wait(Math.max(0, stoppedMs + (kill + 0.8) * killEachMs - performance.now()))
      const node = others[kill % others.length] as NodeProcess
      await node.process.kill('SIGKILL')
      await house.restart(node)
    }
  }
  const [{ rescuedMs, resumedAt }] = await Promise.all([goingOn, killing()])
  await stillPaused
  loads.get(still)!.resume()
  await acceptsMore(loads.get(still)!)
  await eventually(
    () => still.process.output(),
    (output) => expect(output).toMatch(/was declared dead by its peers/),
    20_000,
  )
  await Promise.all([...loads.values()].map((load) => load.pause()))
  for (const load of loads.values()) {
    await load.repeatUnanswered()
    expect(load.unanswered.size).toBe(0)
    expect(load.refused).toEqual([])
    // Of one transaction: it has the sends of a moment.
    const turnedAway = load.ended.filter(({ told }) => told === 503).length
    expect(turnedAway, 'a node that lives accepts').toBeLessThanOrEqual(perSecond)
  }
  // An end for what hangs: the links of a node that was killed are idle until it is back, so that much may wait at the end of the long run.
  await house.drained(240_000 + kills * killEachMs)

  const late = await lateWords()
  const missed = house.nodes.reduce((sum, node) => sum + declaredDead(node), 0)
  const ofOneNode = devices * Number(device.window)
  expect((await lateWords(stillEpoch)).size, 'a window of each link at most').toBeLessThanOrEqual(ofOneNode)
  expect(late.size, 'as many for each node that lived on').toBeLessThanOrEqual(missed * ofOneNode)
  const messages = await expectNothingLostNorDoubled(house, [...loads.values()], ({ id }) => late.has(id))
  expect(messages.length).toBeGreaterThanOrEqual((kills * killEachMs * perSecond * 10) / 3_000)
  const ends = Map.groupBy(messages, ({ status }) => status)
  expect([...ends.keys()].filter((status) => status !== 'sent').toSorted()).toEqual([
    'delivered',
    'unconfirmed',
  ])
  // Of what another node had ended the node that stood still knows that it was taken: evidence that comes late, and no receipt after it.
  expect(ends.get('sent')?.filter(({ id }) => !late.has(id)) ?? []).toEqual([])
  expect(rescuedMs, 'what the node had open that stood still was ended in time').toBeLessThan(rescuedWithinMs)
  expectRefusedTokens(still, heldWhenStopped)
  await expectTokensInOrder()
  await expectOldTokensRefused(stillEpoch, resumedAt)
})

/** How often a node learned that its peers had taken it for dead. */
const declaredDead = ({ process: { output }, earlierOutput }: NodeProcess): number =>
  (earlierOutput + output()).split('was declared dead by its peers').length - 1

/** Settles when so much more was accepted as it asks for in two seconds. */
async function acceptsMore(load: Load): Promise<void> {
  const before = load.accepted.size
  await eventually(
    () => load.accepted.size - before,
    (more) => expect(more).toBeGreaterThanOrEqual(2 * perSecond),
    60_000,
  )
}

/** Lets the node that stands still go on once others have ended what it had open, and have its links. Gives how long the first took. */
async function goesOnOnceRescued(
  node: NodeProcess,
  epoch: string,
  held: readonly HeldToken[],
  stoppedMs: number,
): Promise<{ rescuedMs: number; resumedAt: number }> {
  const withinMs = 2 * stoppedForMs + 20_000
  const rescued = () => rescuedAfter(epoch, stoppedMs)
  const rescuedMs = await eventually(rescued, (ms) => expect(ms).toBeGreaterThan(0), withinMs)
  await eventually(
    () => stillHeld(held),
    (left) => expect(left).toEqual([]),
    withinMs,
  )
  await wait(Math.max(0, stoppedMs + stoppedForMs - performance.now()))
  const resumedAt = Date.now()
  process.kill(node.process.pid, 'SIGCONT')
  return { rescuedMs, resumedAt }
}

/** Lets the node stand still at an instant at which it has hand-overs open, and nothing that would end them is under way in the database. */
async function stopInMidHandOver(node: NodeProcess, epoch: string): Promise<void> {
  const look = async () => {
    process.kill(node.process.pid, 'SIGSTOP')
    const busy = await house.rows<{ query: string }>(
      "select state, query from pg_stat_activity where application_name = $1 and state <> 'idle'",
      [`onesixty ${node.name}`],
    )
    const open = await openUnder(epoch)
    if (busy.length === 0 && open.length > 0) return { busy, hasOpen: true }
    process.kill(node.process.pid, 'SIGCONT')
    // It goes on for a while before the next look.
    await wait(100)
    return { busy, hasOpen: open.length > 0 }
  }
  await eventually(look, (seen) => expect(seen).toEqual({ busy: [], hasOpen: true }), 20_000)
}

interface HeldToken {
  device_id: string
  lease_token: number
}

/** The tokens under which a node has hand-overs open. */
const openUnder = (epoch: string): Promise<HeldToken[]> =>
  house.rows(
    'select distinct device_id, lease_token::int as lease_token from attempts where fence = $1 and ended_at is null',
    [epoch],
  )

/** All that it has, also of links without an open hand-over: a token that is still good is asked for with the old ones. */
const leasesOf = (node: NodeProcess): Promise<HeldToken[]> =>
  house.rows('select id as device_id, lease_token::int as lease_token from devices where lease_owner = $1', [
    node.name,
  ])

/** Of these tokens those that no other node has followed. */
async function stillHeld(held: readonly HeldToken[]): Promise<HeldToken[]> {
  const now = await house.rows<HeldToken>(
    'select id as device_id, lease_token::int as lease_token from devices where id = any($1)',
    [held.map(({ device_id }) => device_id)],
  )
  return held.filter((one) =>
    now.some((row) => row.device_id === one.device_id && row.lease_token === one.lease_token),
  )
}

/** When it went on it still bore the tokens under which it had handed over when it was stopped; the database took none of them. */
function expectRefusedTokens({ process: { output } }: NodeProcess, held: readonly HeldToken[]): void {
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('refused lease tokens'))
  const logged = lines.map((line) => JSON.parse(line) as { refused: number; asked: HeldToken[] })
  const refused = logged.filter((line) => line.refused === line.asked.length).flatMap(({ asked }) => asked)
  expect(held.length).toBeGreaterThan(0)
  expect(refused, 'old tokens that the database refused').toEqual(expect.arrayContaining([...held]))
}

/** Gives who runs each of them. */
async function everyLinkRuns(): Promise<string[]> {
  const read = async (): Promise<(string | null)[]> =>
    (
      await house.rows<{ lease_owner: string | null }>(
        "select lease_owner from devices where name like 'Peer%'",
      )
    ).map(({ lease_owner }) => lease_owner)
  return (await eventually(read, (seen) => expect(seen).not.toContain(null), 20_000)) as string[]
}

/** How long after it stopped nothing of it was open any more; 0 while something is. */
async function rescuedAfter(epoch: string, stoppedMs: number): Promise<number> {
  const [row] = await house.rows<{ open: string }>(
    'select count(*)::int as open from attempts where fence = $1 and ended_at is null',
    [epoch],
  )
  if (Number(row?.open) > 0) return 0
  const [last] = await house.rows<{ at: string }>(
    "select max(ended_at) as at from attempts where fence = $1 and state = 'unknown'",
    [epoch],
  )
  expect(last?.at, 'it had hand-overs open when it was stopped').not.toBeNull()
  return Number(last?.at) - (Date.now() - (performance.now() - stoppedMs))
}

/**
 * Messages that were given up for a node, and turned out to be sent: nobody is charged for them. Under load a node can miss its heartbeat, too, that
 * nobody stopped; `epoch` asks for those of one.
 */
async function lateWords(epoch: string | null = null): Promise<Set<string>> {
  const rows = await house.rows<{ id: string }>(
    `select m.id from messages m where m.corrected = 1 and ($1::bigint is null or exists (
       select 1 from attempts a where a.account_id = m.account_id and a.message_id = m.id and a.fence = $1))`,
    [epoch],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Each link was handed messages by one node at a time: whoever claimed later did so under no older token. */
async function expectTokensInOrder(): Promise<void> {
  const rows = await house.rows<{ device_id: string; lease_token: string }>(
    "select device_id, lease_token from attempts where mode = 'live' order by device_id, started_at, lease_token",
  )
  expect(rows.filter(({ lease_token }) => lease_token === null)).toEqual([])
  const late = rows.filter((row, i) => {
    const before = rows[i - 1]
    return before?.device_id === row.device_id && Number(before.lease_token) > Number(row.lease_token)
  })
  expect(late, 'claimed under a token that was not the latest').toEqual([])
}

/** What the node claimed before it stood still bears tokens of which none was used after it went on. */
async function expectOldTokensRefused(epoch: string, resumedAt: number): Promise<void> {
  const stale = await house.rows(
    `select a.id from attempts a where a.fence = $1 and a.started_at >= $2 and exists (
       select 1 from attempts b where b.device_id = a.device_id and b.fence <> $1 and b.lease_token > a.lease_token)`,
    [epoch, resumedAt],
  )
  expect(stale, 'claimed under a token of before').toEqual([])
}
