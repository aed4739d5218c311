import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { createAcceptor } from '../../src/messages/send/accept-send.ts'
import type { SendRequest, SendResult } from '../../src/messages/send/send-request.ts'
import type { HotUnits } from '../../src/messages/units.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { temporaryFolder } from '../harness.ts'
import { openFolder } from '../open-folder.ts'
import { startInstance } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { removeTestFolder } from '../test-database.ts'
import { expectSums } from './expect-sums.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { acceptedAs } from '../../src/messages/send/send-ids.ts'

/**
 * Two writers of one database, each with two edges that batch for themselves: what nodes are to one another, and a server to the command
 * line. Nothing but the database stands between them.
 */
const rounds = sizeOf('ROUNDS')

type Accept = (request: SendRequest) => Promise<SendResult>
const ids = createIds({ now: Date.now })
let dataFolder: string
let nodes: Storage<HotUnits>[]
let edges: Accept[]

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  nodes = []
  for (let node = 0; node < 2; node++)
    nodes.push(await openFolder(dataFolder, Date.now(), { maxMergedWeight: 4 }))
  await nodes[0]!.writer.write((tx) => startInstance(tx, Date.now()))
  edges = nodes.flatMap((node) => [edgeOf(node), edgeOf(node)])
})
afterAll(async () => {
  for (const node of nodes) await node.close()
  await removeTestFolder(dataFolder)
})

const edgeOf = (node: Storage<HotUnits>): Accept =>
  createAcceptor({
    run: (requests) => node.runUnit('sendMessages', requests),
    maxPendingSends: 1_000,
    wake: () => undefined,
    accepted: () => undefined,
  })

async function openAccount(freeSms: number): Promise<string> {
  const [accountId, nowMs] = [ids('acc'), Date.now()]
  await nodes[0]!.writer.write(async (tx) => {
    const row = {
      id: accountId,
      name: 'Racer',
      state: 'active',
      created_at: nowMs,
      updated_at: nowMs,
    } as const
    await tx.insertInto('accounts').values(row).execute()
    await openWallets(tx, { ids, nowMs }, { accountId, freeSms, playSms: 0, lowThreshold: 0, actor: 'test' })
  })
  return accountId
}

const requestOf = (accountId: string, key: string | null = null): SendRequest =>
  sendRequest(
    { ids, nowMs: Date.now() },
    { accountId, idempotency: key === null ? null : { key, fingerprint: 'f' } },
  )

const reservedOf = async (accountId: string): Promise<number> =>
  (
    await nodes[0]!.read
      .selectFrom('wallets')
      .select('reserved')
      .where('account_id', '=', accountId)
      .where('mode', '=', 'live')
      .executeTakeFirstOrThrow()
  ).reserved

test(
  'of forty sends at once with ten SMS exactly ten are accepted, round after round',
  { timeout: endAfter(60_000) },
  async () => {
    for (let round = 0; round < rounds; round++) {
      const accountId = await openAccount(10)
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, i) => edges[i % edges.length]!(requestOf(accountId))),
      )
      const kinds = Map.groupBy(results, (result) => (result.kind === 'refused' ? result.code : result.kind))
      const counts = Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length]))
      expect(counts).toEqual({ accepted: 10, insufficient_balance: 30 })
      const left = (kinds.get('accepted') ?? []).map((result) =>
        result.kind === 'accepted' ? result.balanceAvailable : -1,
      )
      expect(
        left.toSorted((a, b) => b - a),
        'each saw what the others had taken',
      ).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
      expect(await reservedOf(accountId)).toBe(10)
    }
    await expectSums(nodes[0]!.read, Date.now())
  },
)

test(
  'of sends at once under one key for the last SMS one is a message, and none of the others is told that the balance is used up',
  { timeout: endAfter(60_000) },
  async () => {
    for (let round = 0; round < Math.ceil(rounds / 5); round++) {
      const accountId = await openAccount(1)
      const results = await Promise.all(edges.map((accept) => accept(requestOf(accountId, 'k'))))
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        'accepted',
        'replayed',
        'replayed',
        'replayed',
      ])
      expect(await reservedOf(accountId)).toBe(1)
    }
  },
)

test(
  'of sends at once under one key, from every edge, one is a message and the others its repetition',
  { timeout: endAfter(60_000) },
  async () => {
    const accountId = await openAccount(1_000)
    for (let round = 0; round < rounds; round++) {
      const requests = edges.map(() => requestOf(accountId, `k${round}`))
      const results = await Promise.all(edges.map((accept, i) => accept(requests[i]!)))
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        'accepted',
        'replayed',
        'replayed',
        'replayed',
      ])
      const sendIds = results.map((result, i) => {
        if (result.kind === 'refused') throw new Error(result.code)
        return result.kind === 'replayed'
          ? result.replay.send.id
          : acceptedAs(requests[i]!, result.place).sendId
      })
      expect(new Set(sendIds).size).toBe(1)
    }
    expect(await reservedOf(accountId)).toBe(rounds)
    await expectSums(nodes[0]!.read, Date.now())
  },
)
