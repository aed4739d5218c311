import { setTimeout as sleep } from 'node:timers/promises'
import type { NewDatabase } from './bench-postgres.ts'
import type { BenchRun, LoadTarget } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { one } from './load-job.ts'
import { type NodeHouse, withNodeHouse } from './node-house.ts'
import type { ServerProcess } from './server-process.ts'

/** Beside the first of them, which is the hot one. */
const accountsInAll = 200
/** More nodes on the same two cores bear no more: they must not bear much less. */
const minOfOne = 0.9
/** Fewer say nothing of a rate. */
const minEnded = 100

/** The accounts whose keys the requests bear. */
type Spread = 'one account' | `${number} accounts` | `${number} accounts, each of one node`
/** As a balancer has it that goes by the key: no two nodes accept of one account. */
const ownAccounts: Spread = `${accountsInAll} accounts, each of one node`
const spreads: readonly Spread[] = ['one account', `${accountsInAll} accounts`]

interface Rate {
  kind: 'accept' | 'claim'
  spread: Spread
  perSecond: number
  figure: Figure
}

/** To all nodes together, and once more to each of them: a transaction accepts what the connections of one node have asked meanwhile. */
const connectionsOfOne = 64

const acceptName = (connections: string): string => `accept on PostgreSQL, one recipient, ${connections}`

/**
 * What 1, 2 and 4 nodes on one database accept, of one account and of many; and how fast what waits is claimed, handed over, receipted and charged
 * by as many simulators, of which each node runs its share.
 */
export async function measureNodes(run: BenchRun, newDatabase: NewDatabase): Promise<Figure[]> {
  const figures: Figure[] = []
  let ofOneNode: readonly Rate[] = []
  for (const nodes of [1, 2, 4]) {
    const databaseUrl = await newDatabase()
    const rates = await withNodeHouse({ databaseUrl, nodes, accounts: accountsInAll }, (house) =>
      measureHouse(run, house, nodes),
    )
    if (nodes === 1) ofOneNode = rates
    figures.push(...rates.map((rate) => judged(rate, nodes, ofOneNode)))
  }
  return figures
}

function judged(
  { kind, spread, perSecond, figure }: Rate,
  nodes: number,
  ofOneNode: readonly Rate[],
): Figure {
  if (nodes > 1) {
    // One node has all accounts for itself.
    const ofWhom = spread === ownAccounts ? spreads[1] : spread
    const ofOne = ofOneNode.find((rate) => rate.kind === kind && rate.spread === ofWhom) as Rate
    const ratio = perSecond / ofOne.perSecond
    const summary = `≥ ${minOfOne} × one node (${ratio.toFixed(2)} ×)`
    return { ...figure, bar: { kind: 'holds', holds: ratio >= minOfOne, summary } }
  }
  return kind === 'accept' && spread === 'one account' ? { ...figure, profile: 'accept-postgres' } : figure
}

/** Accepts while no link works, then lets the links work on what waits: first of the hot account alone, then of all. */
async function measureHouse(run: BenchRun, house: NodeHouse, nodes: number): Promise<Rate[]> {
  const rates: Rate[] = []
  const accept = async (spread: Spread): Promise<void> => {
    rates.push(await acceptRate(run, house, { nodes, spread, connectionsOfEach: connectionsOfOne / nodes }))
    if (nodes > 1)
      rates.push(await acceptRate(run, house, { nodes, spread, connectionsOfEach: connectionsOfOne }))
  }
  for (const spread of spreads) {
    await accept(spread)
    if (nodes > 1 && spread !== spreads[0]) await accept(ownAccounts)
    rates.push(await claimRate(run, house, { nodes, spread }))
  }
  return rates
}

interface Measuring {
  nodes: number
  spread: Spread
}

const nodesOf = (nodes: number): string => `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`

/** What the nodes of a house accept a second. */
export async function acceptRate(
  run: BenchRun,
  house: NodeHouse,
  { nodes, spread, connectionsOfEach }: Measuring & { connectionsOfEach: number },
): Promise<Rate> {
  const isHot = spread === 'one account'
  const connections = connectionsOfEach * nodes
  const of = acceptName(
    connections === connectionsOfOne
      ? `${connections} connections`
      : `${connectionsOfEach} connections a node`,
  )
  const name = nodes === 1 && isHot ? of : `${of}, ${nodesOf(nodes)}, ${spread}`
  const asked = { ...target(run, house, isHot), shape: one, connections, hasOwnKeys: spread === ownAccounts }
  const { perSecond, latency, facts, us } = await run.load(name, asked)
  const value = `${perSecondOf(perSecond)}, ${latencyOf(latency)}`
  // Of several nodes only the first is watched.
  const figure: Figure = { row: 13, name, value, perSecond, facts, ...(nodes === 1 && { us }) }
  return { kind: 'accept', spread, perSecond, figure }
}

const target = (
  { lengths }: BenchRun,
  { servers, keys }: NodeHouse,
  isHot: boolean,
): Omit<LoadTarget, 'shape'> => ({
  server: servers[0] as ServerProcess,
  otherPorts: servers.slice(1).map(({ port }) => port),
  token: keys[0] as string,
  otherTokens: isHot ? [] : keys.slice(1),
  warmUpMs: lengths.nodes.warmUpMs,
  measureMs: lengths.nodes.measureMs,
})

/** Messages a second from the first that became final to the last, by the times in the database; fewer may wait than could be worked off meanwhile. */
export async function claimRate(
  run: BenchRun,
  house: NodeHouse,
  { nodes, spread }: Measuring,
): Promise<Rate> {
  const { warmUpMs, measureMs } = run.lengths.nodes
  const fromMs = Date.now()
  await house.setOffline(false)
  await sleep(warmUpMs + measureMs)
  const toMs = Date.now()
  await house.setOffline(true)
  const [row] = await house.query(
    `select count(*) as ended, min(finalized_at) as first, max(finalized_at) as last from messages
     where finalized_at > ${fromMs} and finalized_at <= ${toMs} and status = 'delivered' and charged = 1`,
  )
  const ended = Number(row?.['ended'])
  if (ended < minEnded)
    throw new Error(`Only ${ended} messages were handed over: too little waited, or no link worked.`)
  const perSecond = (ended * 1000) / (Number(row?.['last']) - Number(row?.['first']))
  const name = `from the queue to delivered on PostgreSQL, ${nodesOf(nodes)}, ${spread}`
  const value = `${perSecondOf(perSecond)} messages`
  run.say(`${name}: ${value}, ${ended} of them`)
  return { kind: 'claim', spread, perSecond, figure: { row: 13, name, value } }
}
