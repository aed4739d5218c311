import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import type { InboundMessage } from '../../src/messages/inbound/inbound-message.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import type { SendRequest } from '../../src/messages/send/send-request.ts'
import { type HotUnits, units } from '../../src/messages/units.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import type { Storage } from '../../src/storage/seam/storage.ts'
import { temporaryFolder } from '../harness.ts'
import { openFolder } from '../open-folder.ts'
import { sendRequest } from '../send-request.ts'
import { isPostgres, removeTestFolder } from '../test-database.ts'
import { expectSums } from './expect-sums.ts'
import { keywordTerms } from './keyword-terms.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/**
 * STOP against hand-over, by two writers of one database, as nodes are to one another: of each number some messages wait, some are accepted, some
 * claimed and one comes back, all while STOP is stored. What is claimed in a transaction behind that of the opt-out is the fault.
 */
/** A quarter of them on PostgreSQL, on which each takes three times as long. */
const races = sizeOf('RACES') * (isPostgres ? 0.25 : 0.75)
const perRound = 500
/** SQLite takes writers in no order: of two that never rest one may wait for long. */
const patient = { ONESIXTY_BUSY_TIMEOUT_MS: '60000' }

const ids = createIds({ now: Date.now })
const keywords = { ...keywordTerms, confirmation: null, help: null }
const accountId = ids('acc')
let dataFolder: string
let nodes: Storage<HotUnits>[]

beforeAll(async () => {
  dataFolder = await temporaryFolder()
  nodes = []
  for (let node = 0; node < 2; node++)
    nodes.push(await openFolder(dataFolder, Date.now(), { settings: patient }))
  const nowMs = Date.now()
  await nodes[0]!.writer.write(async (tx) => {
    const row = {
      id: accountId,
      name: 'Racer',
      state: 'active',
      created_at: nowMs,
      updated_at: nowMs,
    } as const
    await tx.insertInto('accounts').values(row).execute()
    await tx
      .insertInto('instance')
      .values({ id: 1, epoch: 1, directory_version: 1, created_at: nowMs })
      .execute()
    await openWallets(
      tx,
      { ids, nowMs },
      { accountId, freeSms: 100_000, playSms: 0, lowThreshold: 0, actor: 'test' },
    )
  })
}, 60_000)
afterAll(async () => {
  for (const node of nodes) await node.close()
  await removeTestFolder(dataFolder)
})

const requestTo = (to: string): SendRequest =>
  sendRequest({ ids, nowMs: Date.now() }, { to: [to], accountId })

const stopFrom = (from: string): InboundMessage => ({
  deviceId: 'dev_s', accountId, mode: 'live', from, to: '12345', country: 'DE', text: 'STOP', encoding: 'gsm7', units: 4, parts: 1,
  storedAt: Date.now(), inReplyTo: null, fingerprint: ids('evt'),
}) // prettier-ignore

/** What happened to numbers, in the order in which it was committed: each reads the counter of the database in its own transaction. */
interface Happened {
  at: number
  to: string
  what: 'stopped' | 'handed over'
}

const tick = async (tx: Tx): Promise<number> =>
  (
    await tx
      .updateTable('instance')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .returning('epoch')
      .executeTakeFirstOrThrow()
  ).epoch

const claimInput = () => ({
  requests: [
    { accountId, mode: 'live' as const, routeKey: 'live:', deviceId: 'dev_s', quota: 20, partsOver: 0, partsUpTo: 10 },
  ],
  nowMs: Date.now(),
  dueMs: Date.now() + 60_000,
  fence: 1,
  known: 0,
}) // prettier-ignore

async function claimOnce({ writer }: Storage<HotUnits>, happened: Happened[]): Promise<Claimed[]> {
  const { claimed, at } = await writer.write(async (tx) => {
    const done = await units.claim(tx, claimInput())
    return { claimed: done.claimed, at: await tick(tx) }
  })
  for (const { to } of claimed) happened.push({ at, to, what: 'handed over' })
  return claimed
}

/** One of what was claimed comes back: nothing of it was submitted. */
const giveBack = ({ writer }: Storage<HotUnits>, claimed: Claimed): Promise<unknown> =>
  writer.write((tx) =>
    units.settleOutcomes(tx, [judgeOutcome(claimed, { kind: 'unavailable', detail: 'gone' }, Date.now())]),
  )

async function raceRound(first: number): Promise<Happened[]> {
  const happened: Happened[] = []
  const [one, other] = nodes as [Storage<HotUnits>, Storage<HotUnits>]
  const all = Array.from({ length: perRound }, (_, i) => `+49151${String(first + i).padStart(8, '0')}`)
  await one.runUnit('sendMessages', all.map(requestTo))
  const race = { isOver: false }
  const claiming = nodes.map(async (node) => {
    while (!race.isOver) {
      const [back] = await claimOnce(node, happened)
      if (back !== undefined) await giveBack(node, back)
    }
  })
  await Promise.all(
    all.map(async (to, i) => {
      const [own, foreign] = i % 2 === 0 ? [one, other] : [other, one]
      // Accepted by somebody who has not heard of it, before and behind it.
      const accepting = (i % 3 === 0 ? foreign : own).runUnit('sendMessages', [requestTo(to)])
      const at = await own.writer.write(async (tx) => {
        await receiveMessages(tx, { ids, unit: await takeChange(tx, Date.now()) }, [stopFrom(to)], {
          joinMs: 1,
          maxCharacters: 160,
          keywords,
        })
        return tick(tx)
      })
      happened.push({ at, to, what: 'stopped' })
      await accepting
      await foreign.runUnit('sendMessages', [requestTo(to)])
    }),
  )
  race.isOver = true
  await Promise.all(claiming)
  // What is left is claimed now, all of it too late.
  while ((await queued()) > 0) await claimOnce(one, happened)
  return happened
}

const queued = async (): Promise<number> =>
  (await nodes[0]!.read.selectFrom('queue').select('message_id').limit(1).execute()).length

test(
  `in ${races} races of STOP against hand-over nothing is handed over after the opt-out was stored`,
  { timeout: endAfter(500_000) },
  async () => {
    let submitted = 0
    for (let first = 0; first < races; first += perRound) {
      const happened = await raceRound(first)
      const stoppedAt = new Map(
        happened.flatMap(({ what, to, at }) => (what === 'stopped' ? [[to, at]] : [])),
      )
      expect(stoppedAt.size).toBe(perRound)
      const handed = happened.filter(({ what }) => what === 'handed over')
      submitted += handed.length
      expect(handed.filter(({ to, at }) => at > (stoppedAt.get(to) ?? 0))).toEqual([])
    }
    // It was a race: neither always won.
    expect(submitted).toBeGreaterThan(0)
    await expectSums(nodes[0]!.read, Date.now())
  },
)
