import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveWay } from '../../../src/devices/routes/resolve-way.ts'
import { readWay } from '../../../src/devices/routes/way-words.ts'
import { eventually } from '../../eventually.ts'
import { sizeOf } from '../../proof-sizes.ts'
import { testTimes } from '../../quick-times.ts'
import { expectNothingLostNorDoubled } from '../crash-house.ts'
import { type NodeProcess, type NodesHouse, openNodesHouse } from './node-processes.ts'

const wanted = sizeOf('WEIGHTED_MESSAGES')
const perSecond = 30
const weights = [70, 20, 10]
/** By then the links of a killed node run on the other one. */
const outageMs = testTimes.silenceMs + testTimes.heartbeatMs + testTimes.rescueMs + 10_000

let house: NodesHouse
beforeAll(async () => {
  house = await openNodesHouse({ names: ['north', 'south'], devices: weights.length, settings: { window: '50', delay_ms: '20' } }) // prettier-ignore
})
afterAll(() => house.close())

test('weights hold over two nodes of which one is killed: what each message drew carries it but for the outage, and none goes twice', async () => {
  const devices = (await house.rows<{ id: string }>("select id from devices where name like 'Peer %' order by name")).map(({ id }) => id) // prettier-ignore
  const way = devices.map((id, i) => `${id}*${weights[i]}`).join(',')
  await house.command('route', 'add', '--name', 'Split', '--way', way)
  const loads = house.nodes.map((node) => house.load(node, { perSecond, name: node.name }))
  for (const node of house.nodes) await knowsTheRule(node)
  for (const load of loads) load.resume()
  const accepted = () => loads.reduce((sum, load) => sum + load.accepted.size, 0)
  await eventually(accepted, (count) => expect(count).toBeGreaterThan(wanted / 2), 300_000)
  const killed = house.nodes[1] as NodeProcess
  const killedAt = Date.now()
  await killed.process.kill('SIGKILL')
  await house.restart(killed)
  await eventually(accepted, (count) => expect(count).toBeGreaterThan(wanted), 300_000)
  await Promise.all(loads.map((load) => load.pause()))
  for (const load of loads) await load.repeatUnanswered()
  await house.drained(120_000)
  await expectNothingLostNorDoubled(house, loads)
  await expectShares(way, devices, killedAt)
})

async function knowsTheRule({ process: { url } }: NodeProcess): Promise<void> {
  const ask = async () => {
    const body = JSON.stringify({ to: '+4915112345678', text: 'Hello', dry_run: true })
    const headers = { authorization: `Bearer ${house.liveKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1/send`, { method: 'POST', headers, body })
    return ((await answer.json()) as { routing: { rule: { name: string } | null }[] }).routing[0]?.rule?.name
  }
  await eventually(ask, (name) => expect(name).toBe('Split'), 20_000)
}

async function expectShares(way: string, devices: readonly string[], killedAt: number): Promise<void> {
  const stages = readWay(way)
  const rows = await house.rows<{ message_id: string; device_id: string; at: string }>(
    'select a.message_id, a.device_id, m.created_at as at from attempts a join messages m on m.id = a.message_id where a.number = 1',
  )
  const drawn = rows.map((row) => ({ ...row, drew: resolveWay(stages, { messageId: row.message_id, not: [] })?.stages[0]?.use[0] })) // prettier-ignore
  expect(drawn.length).toBeGreaterThanOrEqual(wanted)
  const elsewhere = drawn.filter(({ drew, device_id }) => drew !== device_id)
  for (const { at } of elsewhere) {
    expect(Number(at)).toBeGreaterThan(killedAt - testTimes.silenceMs)
    expect(Number(at)).toBeLessThan(killedAt + outageMs)
  }
  for (const [i, device] of devices.entries()) {
    const share = (weights[i] as number) / 100
    const found = drawn.filter(({ drew }) => drew === device).length / drawn.length
    // Four standard deviations: a percent and a half of ten thousand.
    expect(Math.abs(found - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / drawn.length))
  }
}
