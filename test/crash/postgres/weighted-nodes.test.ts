import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { resolveWay } from '../../resolve-way.ts'
import { readWay } from '../../../src/devices/routes/way-words.ts'
import { createApiClient } from '../../api-client.ts'
import { eventually } from '../../eventually.ts'
import { endAfter, isLong, sizeOf } from '../../proof-sizes.ts'
import { testTimes } from '../../quick-times.ts'
import { expectNothingLostNorDoubled } from '../crash-house.ts'
import type { Load } from '../load.ts'
import { type NodeProcess, type NodesHouse, openNodesHouse } from './node-processes.ts'

const size = sizeOf('WEIGHTED_MESSAGES')
const perSecond = isLong() ? 200 : 40

let house: NodesHouse
beforeAll(async () => {
  house = await openNodesHouse({
    names: ['north', 'south'],
    devices: 3,
    settings: { window: '20', submit_delay_ms: '20', delay_ms: '100' },
  })
})
afterAll(() => house.close())

test(
  'by weights of 70, 20 and 10 over two nodes of which one is killed each device carries its share as far as chance allows, and nothing goes twice',
  { timeout: endAfter(180_000) },
  async () => {
    const { devices } = await house.onesixty<{ devices: { id: string; name: string }[] }>('device', 'list')
    const peers = ['Peer 0', 'Peer 1', 'Peer 2'].map((name) => devices.find((device) => device.name === name)?.id ?? '') // prettier-ignore
    const way = `${peers[0]}*70,${peers[1]}*20,${peers[2]}*10`
    const stages = readWay(way)
    await house.onesixty('route', 'add', '--name', 'Split', '--way', way)
    for (const { process: server } of house.nodes) await knowsTheRule(server.url)
    const loads = house.nodes.map((node) => house.load(node, { perSecond, name: node.name }))
    const reaches = (count: number) => eventually(() => countOf(loads), (n) => expect(n).toBeGreaterThanOrEqual(count), endAfter(120_000)) // prettier-ignore
    for (const load of loads) load.resume()
    const moves = watchMoves()
    onTestFinished(() => void moves.end(0))
    await reaches(size / 3)
    const holder = house.nodes.find(({ name }) => name === moves.holderOf(peers[0])) as NodeProcess
    const killedMs = Date.now()
    await holder.process.kill('SIGKILL')
    await house.restart(holder)
    await reaches(size)
    await Promise.all(loads.map((load) => load.pause()))
    for (const load of loads) await load.repeatUnanswered()
    await house.drained(endAfter(120_000))
    for (const load of loads) expect([load.unanswered.size, load.refused]).toEqual([0, []])

    const moved = await moves.end(killedMs)
    expect(moved.map(({ deviceId }) => deviceId)).toContain(peers[0])
    const attempts = await house.rows<Attempt>('select message_id, device_id, started_at from attempts')
    const drawn = (messageId: string) =>
      resolveWay(stages, { messageId, not: [] })?.stages[0]?.use[0] as string
    // While the link of its device moves, others of its stage may take over.
    const mayTakeOver = ({ message_id, started_at: at }: Attempt) =>
      moved.some(({ deviceId, fromMs, toMs }) => deviceId === drawn(message_id) && Number(at) >= fromMs && Number(at) <= toMs) // prettier-ignore
    const still = attempts.filter((attempt) => !mayTakeOver(attempt))
    const elsewhere = still.filter(({ message_id, device_id }) => drawn(message_id) !== device_id)
    for (const [i, share] of [0.7, 0.2, 0.1].entries()) {
      const carried =
        attempts.filter(({ message_id }) => drawn(message_id) === peers[i]).length / attempts.length
      // Of a fair draw one run in 30,000 is further off.
      const chance = 4 * Math.sqrt((share * (1 - share)) / attempts.length)
      expect(Math.abs(carried - share), `${share} of the messages, and ${carried} were`).toBeLessThan(Math.max(0.01, chance)) // prettier-ignore
    }
    expect(still.length).toBeGreaterThan(attempts.length / 4)
    expect(elsewhere.length / still.length, 'not on the device that its ID draws').toBeLessThan(0.01)
    await expectNothingLostNorDoubled(house, loads)
  },
)

interface Attempt {
  message_id: string
  device_id: string
  started_at: string
}

interface Lease {
  id: string
  lease_owner: string
  lease_token: string
  lease_until: string
}

/** From the last time that the old holder said it holds the link of a device, to when the new one has had it for a second. */
interface Move {
  deviceId: string
  fromMs: number
  toMs: number
}

/** Looks at the leases ten times a second, until its end. */
function watchMoves(): {
  holderOf(deviceId: string | undefined): string | undefined
  end(killedMs: number): Promise<readonly Move[]>
} {
  const seen = new Map<string, Lease>()
  const moves: Move[] = []
  const look = async (): Promise<void> => {
    const leases = await house.rows<Lease>('select id, lease_owner, lease_token, lease_until from devices where lease_owner is not null') // prettier-ignore
    for (const lease of leases) {
      const last = seen.get(lease.id)
      // One that is given up has no owner for a while, and is not among them.
      seen.set(lease.id, lease)
      if (last === undefined || last.lease_token === lease.lease_token) continue
      moves.push({ deviceId: lease.id, fromMs: Number(last.lease_until) - testTimes.leaseMs, toMs: Date.now() + 1_000 }) // prettier-ignore
    }
  }
  const watch = setInterval(() => void (looking = looking.then(look)), 100)
  let looking = look()
  return {
    holderOf: (deviceId) => seen.get(deviceId ?? '')?.lease_owner,
    async end(killedMs) {
      clearInterval(watch)
      await looking
      // Until the kill its holder was well, however long ago it had renewed.
      return moves.map((move) => ({ ...move, fromMs: move.toMs > killedMs ? Math.max(move.fromMs, killedMs) : move.fromMs })) // prettier-ignore
    },
  }
}

/** Settles when a node routes by the rule. */
const knowsTheRule = async (url: string): Promise<void> => {
  const client = createApiClient(url)
  try {
    const send = () => client.send(house.liveKey, { to: '+4915112345678', text: 'dry', dry_run: true })
    await eventually(send, ({ body }) =>
      expect(body).toMatchObject({ routing: [{ rule: { name: 'A rule of the operator' } }] }),
    )
  } finally {
    client.close()
  }
}

const countOf = (loads: readonly Load[]): number =>
  loads.flatMap(({ accepted }) => [...accepted.values()]).reduce((sum, { messages }) => sum + messages.length, 0) // prettier-ignore
