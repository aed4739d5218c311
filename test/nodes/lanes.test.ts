import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { takeLeases } from '../../src/devices/core/device-lease.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import type { Claimed, ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import type { SendRequest, SendResult } from '../../src/messages/send/send-request.ts'
import { accountsOf, units } from '../../src/messages/units.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { beatNode } from '../../src/storage/instance/nodes.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { isSomebodyWaiting } from '../postgres/waiting-writers.ts'
import { sendRequest } from '../send-request.ts'
import { openTwoWriters, type TwoWriters } from '../two-writers.ts'

/** A unit of one node, and the accounts whose lanes it holds; null: all of them. */
interface Racer<T> {
  accounts: () => Iterable<string> | null
  unit: (tx: Tx) => Promise<T>
}

const ids = createIds({ now: Date.now })
const nowMs = Date.now()
let writers: TwoWriters
/** The account and the device of the present test. */
let accountId: string
let deviceId: string

beforeAll(async () => {
  writers = await openTwoWriters()
})
afterAll(async () => {
  await expectSums(writers.nodes[0].read, nowMs)
  await writers.close()
})
beforeEach(async () => {
  accountId = await openAccount()
  deviceId = ids('dev')
})

/** With a wallet of so many SMS. */
async function openAccount(freeSms = 10): Promise<string> {
  const id = ids('acc')
  await writers.nodes[0].writer.write(async (tx) => {
    const row = { id, name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(row).execute()
    const opening = { accountId: id, freeSms, playSms: 0, lowThreshold: 0, actor: 'test' }
    await openWallets(tx, { ids, nowMs }, opening)
  })
  return id
}

/**
 * Runs a unit of one node up to its commit, then one of another node until that has ended or waits, and then lets the first one commit.
 * Returns what both gave, or why they failed.
 */
async function race<A, B>(first: Racer<A>, second: Racer<B>): Promise<[A | Error, B | Error]> {
  const [one, other] = writers.nodes
  const [ran, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const leading = failing(
    one.writer.writeFor(first.accounts, async (tx) => {
      const result = await first.unit(tx)
      ran.resolve()
      await goOn.promise
      return result
    }),
  )
  await Promise.race([ran.promise, leading])
  let hasEnded = false
  const following = failing(other.writer.writeFor(second.accounts, second.unit)).finally(
    () => (hasEnded = true),
  )
  await expect.poll(async () => hasEnded || (await isSomebodyWaiting(one.read))).toBe(true)
  goOn.resolve()
  return Promise.all([leading, following])
}

const failing = <T>(work: Promise<T>): Promise<T | Error> => work.catch((error: unknown) => error as Error)

const send = (more: Partial<SendRequest> = {}): Racer<SendResult> => {
  const requests = [sendRequest({ ids, nowMs }, { accountId, ...more })]
  return {
    accounts: () => accountsOf.sendMessages?.(requests) ?? null,
    unit: async (tx) => (await units.sendMessages(tx, requests))[0] as SendResult,
  }
}

const claim = (more: Partial<ClaimRequest> & { fence?: number } = {}): Racer<Claimed[]> => {
  const { fence = 1, ...asked } = more
  const usual = {
    accountId,
    mode: 'live',
    routeKey: routeKeyOf({ mode: 'live', sender: null }),
    deviceId,
  } as const
  const requests = [{ ...usual, quota: 1, partsOver: 0, partsUpTo: 10, ...asked }]
  const input = { requests, nowMs: Date.now(), dueMs: Date.now(), fence, known: 0 }
  return {
    accounts: () => accountsOf.claim?.(input) ?? null,
    unit: async (tx) => (await units.claim(tx, input)).claimed,
  }
}

const accepted = (claimed: Claimed, networkId: string): Racer<unknown> => {
  const outcome = { kind: 'accepted', networkIds: [networkId], receiptExpected: true } as const
  const settlements = [judgeOutcome(claimed, outcome, Date.now())]
  return {
    accounts: () => accountsOf.settleOutcomes?.(settlements) ?? null,
    unit: (tx) => units.settleOutcomes(tx, settlements),
  }
}

const received = (networkId: string): Racer<unknown> => {
  const receipt = {
    deviceId,
    networkId,
    result: 'delivered',
    code: null,
    networkCode: null,
    atMs: Date.now(),
  } as const
  return { accounts: () => null, unit: (tx) => units.settleReceipts(tx, [receipt]) }
}

/** Runs a unit by itself. */
const run = <T>({ accounts, unit }: Racer<T>): Promise<T> => writers.nodes[0].writer.writeFor(accounts, unit)

const statusesOf = async (id: string): Promise<string[]> => {
  const rows = await writers.nodes[0].read
    .selectFrom('messages')
    .select('status')
    .where('account_id', '=', id)
    .execute()
  return rows.map(({ status }) => status)
}

/** A race of a claim with what ends its right: returns what the other one sees of the attempts when it has ended it. */
const ending = (
  end: (tx: Tx) => Promise<unknown>,
): Racer<{ lease_token: number | null; fence: number }[]> => ({
  accounts: () => null,
  async unit(tx) {
    await end(tx)
    return tx
      .selectFrom('attempts')
      .select(['lease_token', 'fence'])
      .where('account_id', '=', accountId)
      .execute()
  },
})

test('of two sends for the last SMS the second is refused', async () => {
  accountId = await openAccount(1)
  expect(await race(send(), send())).toMatchObject([
    { kind: 'accepted' },
    { kind: 'refused', code: 'insufficient_balance' },
  ])
})

test('of two sends within a daily limit of one the second is refused', async () => {
  const keyId = ids('key')
  const row = { id: keyId, account_id: accountId, mode: 'live', hash: keyId.padEnd(64, '0'), last_four: '0000', name: 'k', scopes: 'send', created_at: 1 } as const // prettier-ignore
  await writers.nodes[0].writer.write((tx) => tx.insertInto('api_keys').values(row).execute())
  const capped = { keyId, dailyCap: 1 }
  expect(await race(send(capped), send(capped))).toMatchObject([
    { kind: 'accepted' },
    { kind: 'refused', code: 'rate_limited' },
  ])
})

test('of two sends that may wait within a limit of one the second is refused', async () => {
  const limited = { queueLimit: 1 }
  expect(await race(send(limited), send(limited))).toMatchObject([
    { kind: 'accepted' },
    { kind: 'refused', code: 'queue_full' },
  ])
})

test('of two sends under one key the second is the repetition of the first', async () => {
  const keyed = { idempotency: { key: 'k', fingerprint: 'f' } }
  expect(await race(send(keyed), send(keyed))).toMatchObject([{ kind: 'accepted' }, { kind: 'replayed' }])
})

test('a send that commits behind another has a later place in the history of its account, though the clock of its node is behind', async () => {
  await run(send())
  const [first, second] = await race(send({ createdAt: nowMs + 50 }), send({ createdAt: nowMs }))
  if (!('kind' in first && first.kind === 'accepted' && 'kind' in second && second.kind === 'accepted'))
    throw new Error('a send was refused')
  expect(second.place.number).toBeGreaterThan(first.place.number)
})

test('of two claims of one message the second gets none', async () => {
  await run(send())
  expect(await race(claim(), claim({ deviceId: ids('dev') }))).toMatchObject([[{ deviceId }], []])
})

test('a lease moves before a claim under its token or after it has committed', async () => {
  const row = { id: deviceId, account_id: null, mode: 'live', kind: 'smpp', name: 'n', state: 'enabled', senders: '[]', settings: '{}', secrets: null, lease_token: 7, created_at: 1, updated_at: 1 } as const // prettier-ignore
  await writers.nodes[0].writer.write((tx) =>
    tx
      .insertInto('devices')
      .values(row as never)
      .execute(),
  )
  await run(send())
  const taking = { owner: 'other', isAlone: true, deviceIds: [deviceId], nowMs }
  const [claimed, seen] = await race(
    claim({ leaseToken: 7 }),
    ending((tx) => takeLeases(tx, taking)),
  )
  expect([claimed, seen]).toMatchObject([[{ deviceId }], [{ lease_token: 7 }]])
  await run(send())
  expect(await run(claim({ leaseToken: 7 }))).toEqual([])
})

test('a node is called dead before it claims or after its claim has committed', async () => {
  await writers.nodes[0].writer.write((tx) =>
    tx
      .insertInto('nodes')
      .values({ epoch: 5, name: 'n5', started_at: 1, beat_at: 1, left_at: null, tidies: 0 })
      .execute(),
  )
  await run(send())
  const beat = { epoch: 6, name: 'n6', tidies: true, marks: ['m'] }
  const [claimed, seen] = await race(
    claim({ fence: 5 }),
    ending((tx) => beatNode(tx, { now: Date.now }, beat)),
  )
  expect([claimed, seen]).toMatchObject([[{ deviceId }], [{ fence: 5 }]])
  await run(send())
  expect(await run(claim({ fence: 5 }))).toEqual([])
})

test('a receipt beside the answer to its submission is about the message that was submitted', async () => {
  await run(send())
  const [claimed] = await run(claim())
  await race(accepted(claimed!, 'n-1'), received('n-1'))
  expect(await statusesOf(accountId)).toEqual(['delivered'])
  const parked = writers.nodes[0].read
    .selectFrom('parked_receipts')
    .select('network_id')
    .where('device_id', '=', deviceId)
  expect(await parked.execute()).toEqual([])
})

test('of two accounts with one network ID the later one has it, and the wait of the other has ended', async () => {
  const [first, second] = [accountId, await openAccount()]
  const claims: Claimed[] = []
  for (accountId of [first, second]) {
    await run(send())
    claims.push(...(await run(claim())))
  }
  const { widened } = writers.nodes[1].writer
  expect(await race(accepted(claims[0]!, 'n-2'), accepted(claims[1]!, 'n-2'))).toMatchObject([
    ['sent'],
    ['sent'],
  ])
  // It ends the wait of an account whose lane it does not hold.
  expect(writers.nodes[1].writer.widened - widened).toBe(1)
  await run(received('n-2'))
  expect(await statusesOf(second)).toEqual(['delivered'])
  const closed = writers.nodes[0].read
    .selectFrom('messages')
    .select('finalized_at')
    .where('account_id', '=', first)
  expect((await closed.execute()).map(({ finalized_at }) => finalized_at === null)).toEqual([false])
})
