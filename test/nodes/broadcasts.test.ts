import { expect, onTestFinished, test } from 'vitest'
import { Client } from 'pg'
import { ChangeHints } from '../../src/messages/core/change-hints.ts'
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts'

/** So slow that a test ends before anybody looks by itself. */
const noPolls = { ONESIXTY_POLL_INTERVAL_MS: '600000' }

async function twoNodes(
  env: Record<string, string>,
): Promise<{ cluster: Cluster; south: ClusterNode; key: string }> {
  const cluster = await openCluster()
  // The first one runs the only link.
  await cluster.start({ ONESIXTY_NODE: 'north', ...env })
  const south = await cluster.start({ ONESIXTY_NODE: 'south', ...env })
  const { testKey } = await cluster.openAccount('Ada')
  const isKnown = async () => (await south.client.balance(testKey)).available
  await expect.poll(isKnown, { timeout: 20_000 }).toBeGreaterThan(0)
  return { cluster, south, key: testKey }
}

const delivered = async ({ south, key }: { south: ClusterNode; key: string }) =>
  (await south.client.history(key, 'status=delivered')).length

test(
  'what one node accepts another hands over at once, though it would not have looked for minutes',
  { timeout: 60_000 },
  async () => {
    const two = await twoNodes(noPolls)
    // Until the nodes have heard of each other, which takes a beat, nothing is told.
    await expect
      .poll(
        async () => {
          await two.south.client.send(two.key, { to: '+4915112345678', text: 'wake up' })
          return delivered(two)
        },
        { timeout: 30_000, interval: 250 },
      )
      .toBeGreaterThan(0)
  },
)

test('without NOTIFY everything still arrives: the poll is the truth', { timeout: 60_000 }, async () => {
  const two = await twoNodes({ ONESIXTY_POSTGRES_LISTEN: 'no' })
  expect(two.south.app.storage.signals).toBeNull()
  for (let i = 0; i < 5; i++)
    await two.south.client.send(two.key, { to: '+4915112345678', text: `poll ${i}` })
  await expect.poll(() => delivered(two), { timeout: 30_000 }).toBe(5)
})

test('a node whose listening connection breaks makes a new one', { timeout: 60_000 }, async () => {
  const two = await twoNodes(noPolls)
  /** Until the other node hears of a message: it would not look for minutes. */
  const untilHeard = async (): Promise<void> => {
    const before = await delivered(two)
    const sendAndCount = async (): Promise<number> => {
      await two.south.client.send(two.key, { to: '+4915112345678', text: 'wake up' })
      return (await delivered(two)) - before
    }
    await expect.poll(sendAndCount, { timeout: 30_000, interval: 250 }).toBeGreaterThan(0)
  }
  const admin = new Client({ connectionString: two.south.config.databaseUrl! })
  await admin.connect()
  onTestFinished(() => admin.end())
  // Whoever listens has asked for nothing else yet, or only whether it is still heard.
  const { rows } = await admin.query<{ pid: number }>(
    "select pid from pg_stat_activity where query ilike 'listen %' and datname = current_database()",
  )
  expect(rows).toHaveLength(2)
  for (const { pid } of rows) await admin.query('select pg_terminate_backend($1)', [pid])
  await untilHeard()
})

test('what is told to those who look on here is relayed, and what is heard is not relayed again', () => {
  const changes = new ChangeHints()
  const seen: string[] = []
  changes.listen({ isLooking: () => true, changed: (id) => seen.push(`here ${id}`) })
  changes.relayTo({ isLooking: () => true, changed: (id) => seen.push(`relay ${id}`) })
  changes.tell(() => ['acc_a', 'acc_a'])
  changes.hear('acc_b')
  expect(seen).toEqual(['here acc_a', 'relay acc_a', 'here acc_b'])
})
