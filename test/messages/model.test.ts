import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createSweepers } from '../../src/dispatch/sweepers/sweepers.ts'
import { UnparsedNotes } from '../../src/dispatch/devices/unparsed-notes.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { createLog } from '../../src/process/log.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { createStubClock } from '../stub-clock.ts'
import { Model } from './model.ts'
import { expectChangesTold } from './model-changes.ts'
import { commands } from './model-commands.ts'
import type { Real } from './model-step.ts'
import { type NearStore, openNearStore } from '../near-store.ts'
import { sizeOf } from '../proof-sizes.ts'
import { startInstance } from '../open-test-storage.ts'

/** About 10 s in `npm test`. */
const sequences = sizeOf('SEQUENCES')

let store: NearStore
beforeAll(async () => {
  store = await openNearStore(0)
})
afterAll(() => store.close())

const log = createLog('silent', { write: () => undefined })
const metrics = createMetrics()
const config = readConfig({})

test(
  'whatever happens in whatever order, the store says what the model says, and every sum holds',
  { timeout: 0 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 25, size: 'max' }), async (steps) => {
        store.clear()
        const both = await begin()
        await fc.asyncModelRun(() => both, steps)
        await expectChangesTold(both.model, store)
      }),
      { numRuns: sequences },
    )
  },
)

/** Two accounts with 12 SMS each, a clock that stands still, and the janitors of one process after another. */
async function begin(): Promise<{ model: Model; real: Real }> {
  const clock = createStubClock()
  const ids = createIds({ now: clock.now })
  const deps = {
    clock,
    log,
    metrics,
    config,
    ids,
    read: store.db,
    writer: store.writer,
  }
  const model = new Model(clock.now)
  const real: Real = {
    store, clock, ids, fence: 1, open: [], ended: [], lateYeses: [], yeses: [], sound: null,
    janitors: () => createSweepers({ ...deps, fence: real.fence, pool: { all: [], reported: [], absent: [] } as never, mailer: null, publicUrl: () => '', takeKeyUses: () => [], unparsed: new UnparsedNotes(clock), changes: { tell: () => undefined }, timeOf: async () => clock.now(), wake: () => undefined }),
  } // prettier-ignore
  await store.writer.write(async (tx) => {
    const nowMs = clock.now()
    await startInstance(tx, nowMs)
    for (const accountId of ['acc_a', 'acc_b']) {
      await tx
        .insertInto('accounts')
        .values({ id: accountId, name: accountId, state: 'active', created_at: nowMs, updated_at: nowMs })
        .execute()
      await openWallets(
        tx,
        { ids, nowMs },
        { accountId, freeSms: 12, playSms: 0, lowThreshold: 0, actor: 'test' },
      )
      model.wallets.set(accountId, { granted: 12, used: 0, ownUsed: 0 })
      await insertRows(tx, 'api_keys', [
        { id: `key_${accountId}`, account_id: accountId, mode: 'live', hash: accountId.padEnd(64), last_four: '0000', name: 'key', scopes: '[]', created_at: nowMs },
      ]) // prettier-ignore
    }
    await insertPhone(tx, nowMs)
  })
  return { model, real }
}

/** A link that claims, and a phone over which it may. */
async function insertPhone(tx: Tx, nowMs: number): Promise<void> {
  const times = { created_at: nowMs, updated_at: nowMs }
  const device = { mode: 'live', state: 'enabled', senders: '[]', settings: '{}', ...times } as const
  await insertRows(tx, 'devices', [
    { id: 'dev_s', kind: 'simulator', name: 's', ...device },
    { id: 'dev_p', kind: 'android', name: 'p', ...device },
  ])
  await insertRows(tx, 'phone_tokens', [{ id: 'ptk_p', mode: 'live', hash: 'h', created_at: nowMs }])
  await insertRows(tx, 'phones', [
    { id: 'phn_p', device_id: 'dev_p', token_id: 'ptk_p', token_hash: 'h', hook_hash: 'h', signing_key: 'k', name: 'p', sims: '[]', uses_push: 0, ...times },
  ]) // prettier-ignore
}
