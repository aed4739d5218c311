import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { resolveWay } from '../resolve-way.ts'
import { addRule } from '../../src/devices/routes/rule-store.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { usualTimes } from '../../src/runtime/times.ts'
import { drawWays } from '../../src/sending/choose-ways.ts'
import { beatNode, joinNodes } from '../../src/storage/instance/nodes.ts'
import { scriptedKind } from '../dispatch/scripted-kind.ts'
import { eventually } from '../eventually.ts'
import { manyNumbers, openTendedHouse, type TendedHouse } from '../messages/tended-house.ts'
import { openNode } from '../messages-fixture.ts'

const stages = readWay('dev_a*70,dev_b*20,dev_c*10')
/** Of each link of the test. */
const window = 10
/** The node of the house, and the one that outlives it. */
const [killed, living] = [1, 3]

/** Accepts 100 messages as the sender does, each on the way that its ID draws. */
async function sendByWeights(house: TendedHouse): Promise<void> {
  const { storage, pool, ids, clock } = house
  const added = { accountId: null, name: 'Split', conditions: {}, stages, actor: 'test' }
  await storage.writer.write((tx) => addRule(tx, { ids, nowMs: clock.now() }, added))
  await pool.reloadIfChanged()
  const request = house.request({ to: manyNumbers(100) })
  const choices = request.recipients.map(({ to, country }) => ({
    ...pool.routes.choose({ accountId: 'acc_a', mode: 'live', to, country, from: null, category: 'transactional', encoding: 'gsm7', parts: 1 }), // prettier-ignore
    via: null,
  }))
  const { messageIds } = request
  await house.send({ ...drawWays(pool.routes, 'acc_a', request.recipients, { choices, messageIds }), messageIds }) // prettier-ignore
}

/** Lets the other node find out that the one of the house is dead, and end what it had open. */
async function rescue({ storage, clock, janitors }: TendedHouse): Promise<void> {
  await storage.writer.write(async (tx) => {
    const silentSince = sql<number>`beat_at - ${usualTimes.silenceMs}`
    await tx.updateTable('nodes').set({ beat_at: silentSince }).where('epoch', '=', killed).execute()
    await beatNode(tx, clock, { epoch: living, name: `n${living}`, tidies: true, marks: ['m'] })
  })
  await janitors({ fence: living, before: null, node: { isAlone: false } }).rescuer.sweepAll()
}

test('weights hold over two nodes of which one is killed: the device that its ID draws carries each message, on either node, and none goes twice', async () => {
  /** What the killed node handed over, and never tells the outcome of. */
  const silenced: ((outcome: Outcome) => void)[] = []
  const endSilence = (): void => {
    for (const tell of silenced) tell({ kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'killed' })
  }
  let isKilled = false
  const kind = scriptedKind({
    submit: ({ attemptId }) =>
      isKilled
        ? Promise.resolve({ kind: 'accepted', networkIds: [attemptId], receiptExpected: false })
        : new Promise((resolve) => void silenced.push(resolve)),
  })
  const house = await openTendedHouse(kind)
  onTestFinished(() => house.close())
  onTestFinished(endSilence)
  const { storage, clock } = house
  for (const epoch of [killed, living])
    await storage.writer.write((tx) =>
      joinNodes(tx, clock, { epoch, name: `n${epoch}`, before: null, isAlone: false, tidies: true }),
    )
  for (const id of ['dev_a', 'dev_b', 'dev_c']) await house.addDevice(id)
  await sendByWeights(house)
  const drew = async (): Promise<Record<string, string | undefined>> => {
    const rows = await storage.read.selectFrom('messages').select('id').execute()
    return Object.fromEntries(rows.map(({ id }) => [id, resolveWay(stages, { messageId: id, not: [] })?.stages[0]?.use[0]])) // prettier-ignore
  }
  const shares = Object.values(Object.groupBy(Object.values(await drew()), (device) => String(device)))
  const inWindows = shares.reduce((sum, all) => sum + Math.min(window, all?.length ?? 0), 0)
  const ended = house.dispatcher.drain()
  await eventually(() => silenced.length, (count) => expect(count).toBe(inWindows)) // prettier-ignore
  isKilled = true
  await rescue(house)
  const other = await openNode(house, kind, { fence: living, pollIntervalMs: 10_000 })
  onTestFinished(() => other.pool.stop())
  await other.dispatcher.drain()
  await other.dispatcher.stop()
  endSilence()
  await ended
  const rows = await storage.read
    .selectFrom('attempts')
    .select(['message_id', 'device_id', 'state'])
    .execute()
  expect(rows).toHaveLength(100)
  expect(Object.fromEntries(rows.map((row) => [row.message_id, row.device_id]))).toEqual(await drew())
  expect(rows.filter(({ state }) => state === 'unknown')).toHaveLength(inWindows)
  const statuses = await house.statuses()
  expect(statuses.filter((status) => status === 'unconfirmed')).toHaveLength(inWindows)
  expect(statuses.filter((status) => status === 'sent')).toHaveLength(100 - inWindows)
  await house.sums()
})
