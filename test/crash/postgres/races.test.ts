import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { OpenedAccount } from '../../../src/app/open-account.ts'
import { grantSms } from '../../../src/ledger/grants.ts'
import { createIds } from '../../../src/runtime/ids.ts'
import { eventually } from '../../eventually.ts'
import { type ClusterNode, openCluster } from '../../nodes/cluster.ts'
import { sizeOf } from '../../proof-sizes.ts'

const rounds = sizeOf('NODE_ROUNDS')
const to = '+4915112345678'
const unlimited = {
  ONESIXTY_SEND_PER_MINUTE: '0',
  ONESIXTY_READ_PER_MINUTE: '0',
  ONESIXTY_QUEUE_LIMIT: '0',
  ONESIXTY_FREE_SMS: '10',
}

/** How many transactions wait for their turn to write. */
const waitingToWrite = async ({ app }: ClusterNode): Promise<number> =>
  (
    await sql`select 1 from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and objid = 160160160 and not granted`.execute(
      app.storage.read,
    )
  ).rows.length

/** A device that was added is known to each node, on its own time. */
async function untilAllTake(nodes: readonly ClusterNode[], liveKey: string): Promise<void> {
  for (const { client } of nodes)
    await eventually(
      async () => (await client.send(liveKey, { to, text: 'x', dry_run: true })).status,
      (status) => expect(status).toBe(200),
      20_000,
    )
}

/** Four nodes, of which none hands anything over: what is accepted stays reserved. */
async function fourNodes(): Promise<{
  nodes: ClusterNode[]
  open: (name: string) => Promise<OpenedAccount>
}> {
  const cluster = await openCluster()
  const nodes: ClusterNode[] = []
  for (let i = 0; i < 4; i++) nodes.push(await cluster.start(unlimited))
  const { app } = nodes[0] as ClusterNode
  // A phone that nobody has: live messages are accepted, and wait.
  await app.storage.writer.write((tx) =>
    tx.insertInto('devices').values({ id: 'dev_phone', account_id: null, mode: 'live', kind: 'android', name: 'Nobody', state: 'enabled', senders: '[]', settings: '{}', secrets: null, created_at: 1, updated_at: 1 }).execute(),
  ) // prettier-ignore
  await app.storage.writer.write((tx) =>
    tx
      .updateTable('instance')
      .set((is) => ({ directory_version: is('directory_version', '+', 1) }))
      .execute(),
  )
  return { nodes, open: cluster.openAccount }
}

const spread = <T>(
  nodes: readonly ClusterNode[],
  count: number,
  ask: (node: ClusterNode, i: number) => Promise<T>,
): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(nodes[i % nodes.length] as ClusterNode, i)))

test('what one node has read stays as it is until its transaction ends, however long that takes: the others wait for their turn', async () => {
  const { nodes, open } = await fourNodes()
  const { liveKey } = await open('Ada')
  const [slow, ...others] = nodes as [ClusterNode, ...ClusterNode[]]
  await untilAllTake(others, liveKey)
  const { reserved, sends } = await slow.app.storage.writer.write(async (tx) => {
    const reservedNow = async () =>
      (await tx.selectFrom('wallets').select('reserved').where('mode', '=', 'live').execute()).map(
        (row) => row.reserved,
      )
    const read = await reservedNow()
    const answered: number[] = []
    const sending = others.map(async ({ client }) => {
      const { status } = await client.send(liveKey, { to, text: 'x' })
      answered.push(status)
      return status
    })
    // A node writes one transaction at a time: each of the others waits with one, or has been answered.
    await eventually(
      async () => (await waitingToWrite(slow)) + answered.length,
      (there) => expect(there).toBeGreaterThanOrEqual(others.length),
      20_000,
    )
    return { reserved: { read, later: await reservedNow() }, sends: sending }
  })
  expect(reserved.later).toEqual(reserved.read)
  expect(await Promise.all(sends)).toEqual([202, 202, 202])
})

test('of forty sends at once over four nodes ten get the last ten SMS, each time', async () => {
  const { nodes, open } = await fourNodes()
  const { accountId, liveKey } = await open('Ada')
  const [{ client, app }] = nodes as [ClusterNode]
  const ids = createIds({ now: Date.now })
  await untilAllTake(nodes, liveKey)
  for (let round = 0; round < rounds; round++) {
    const answers = await spread(nodes, 40, (node, i) =>
      node.client.send(liveKey, { to, text: `last ${round} ${i}` }),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(10)
    expect(statuses.filter((status) => status === 402)).toHaveLength(30)
    expect(await client.balance(liveKey)).toMatchObject({ available: 0, reserved: 10 * (round + 1) })
    const grant = { accountId, mode: 'live', sms: 10, kind: 'grant', note: 'again', actor: 'test' } as const
    await app.storage.writer.write((tx) => grantSms(tx, { ids, nowMs: Date.now() }, grant))
  }
})

test('one key, fifty times at once over four nodes, is one message, each time', async () => {
  const { nodes, open } = await fourNodes()
  const { accountId, liveKey } = await open('Ada')
  const [{ client, app }] = nodes as [ClusterNode]
  const grant = {
    accountId,
    mode: 'live',
    sms: rounds,
    kind: 'grant',
    note: 'for all',
    actor: 'test',
  } as const
  await app.storage.writer.write((tx) =>
    grantSms(tx, { ids: createIds({ now: Date.now }), nowMs: Date.now() }, grant),
  )
  await untilAllTake(nodes, liveKey)
  for (let round = 0; round < rounds; round++) {
    const answers = await spread(nodes, 50, (node) =>
      node.client.send(liveKey, { to, text: `once ${round}` }, { 'idempotency-key': `key-${round}` }),
    )
    // Of those that meet another one on its way, some are told so.
    const wrong = answers.filter(({ status }) => status !== 202 && status !== 409)
    expect(wrong.map(({ status, body }) => [status, body.code])).toEqual([])
    const accepted = answers.filter(({ status }) => status === 202)
    expect(new Set(accepted.map(({ body }) => body.messages[0]?.id)).size).toBe(1)
    expect(await client.balance(liveKey)).toMatchObject({ reserved: round + 1 })
  }
})
