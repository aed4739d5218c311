import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveWay } from '../../../src/devices/routes/resolve-way.ts'
import { readWay } from '../../../src/devices/routes/way-words.ts'
import { createApiClient } from '../../api-client.ts'
import { eventually } from '../../eventually.ts'
import { endAfter, isLong, sizeOf } from '../../proof-sizes.ts'
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
    const [north, south] = house.nodes as [NodeProcess, NodeProcess]
    const loads = [north, south].map((node) => house.load(node, { perSecond, name: node.name }))
    const reaches = (count: number) => eventually(() => countOf(loads), (n) => expect(n).toBeGreaterThanOrEqual(count), endAfter(120_000)) // prettier-ignore
    for (const load of loads) load.resume()
    await reaches(size / 3)
    await south.process.kill('SIGKILL')
    await house.restart(south)
    await reaches(size)
    await Promise.all(loads.map((load) => load.pause()))
    for (const load of loads) await load.repeatUnanswered()
    await house.drained(endAfter(120_000))
    for (const load of loads) expect([load.unanswered.size, load.refused]).toEqual([0, []])

    const attempts = await house.rows<{ message_id: string; device_id: string }>('select message_id, device_id from attempts') // prettier-ignore
    const drawn = (messageId: string) =>
      resolveWay(stages, { messageId, not: [] })?.stages[0]?.use[0] as string
    const elsewhere = attempts.filter(({ message_id, device_id }) => drawn(message_id) !== device_id)
    for (const [i, share] of [0.7, 0.2, 0.1].entries()) {
      const carried = attempts.filter(({ device_id }) => device_id === peers[i]).length / attempts.length
      // Of a fair draw one run in 30,000 is further off.
      const chance = 4 * Math.sqrt((share * (1 - share)) / attempts.length)
      expect(Math.abs(carried - share), `${share} of the messages, and ${carried} were`).toBeLessThan(Math.max(0.01, chance)) // prettier-ignore
    }
    // While its link moves to the other node, others of its stage may take over.
    expect(elsewhere.length / attempts.length, 'not on the device that its ID draws').toBeLessThan(0.01)
    await expectNothingLostNorDoubled(house, loads)
  },
)

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
