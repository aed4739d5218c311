import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import { isOfDevice } from '../../src/dispatch/submissions/finished-submission.ts'
import { submitClaimed } from '../../src/dispatch/submissions/submission.ts'
import { createLog } from '../../src/process/log.ts'
import { OptOutCache } from '../../src/messages/opt-outs/opt-out-cache.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { storeOptOuts } from '../../src/messages/opt-outs/store-opt-outs.ts'
import { createNumberHash } from '../../src/numbers/number-hash.ts'
import { readDirectoryVersion } from '../../src/storage/seam/directory-version.ts'
import { StorageError } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { startTestApi } from '../api/start-test-api.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

let base: TestStorage
let optOuts: OptOutCache
const numbers = createNumberHash({ current: 'a secret of this test, long enough', former: [] })
beforeEach(async () => {
  base = await openTestStorage()
  optOuts = new OptOutCache(base.storage.read, numbers)
  const at = base.clock.now()
  await base.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: ada.accountId, name: 'Ada', state: 'active', created_at: at, updated_at: at },
    ])
    await insertRows(tx, 'wallets', [
      { account_id: ada.accountId, mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0 },
    ])
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await base.close()
})

const ada = { accountId: 'acc_ada', mode: 'live' } as const
const [stopped, other] = ['+4915112345678', '+4915112345679'] as const
const store = (forgetAt: number | null = null) =>
  base.storage.writer.write((tx) =>
    insertRows(tx, 'opt_outs', [
      {
        account_id: ada.accountId,
        mode: ada.mode,
        recipient: stopped,
        created_at: base.clock.now(),
        forget_at: forgetAt,
      },
    ]),
  )
const find = async (name: Parameters<OptOutCache['find']>[0] = ada) => [
  ...(await optOuts.find(name, [other, stopped], base.clock.now())),
]
const statements = () => vi.spyOn(base.storage.read.getExecutor(), 'executeQuery')

test('before it knows which accounts have opt-outs it asks about everybody', async () => {
  await store()
  expect(await find()).toEqual([stopped])
})

test('an account that has none costs no look-up, one that has them is asked about, in its own mode alone', async () => {
  await store()
  await optOuts.refresh()
  const asked = statements()
  expect(await find({ accountId: 'acc_bob', mode: 'live' })).toEqual([])
  expect(await find({ accountId: 'acc_ada', mode: 'test' })).toEqual([])
  expect(asked).not.toHaveBeenCalled()
  expect(await find()).toEqual([stopped])
  expect(asked).toHaveBeenCalled()
})

test('other processes are told of the first opt-out of an account in a mode, and of no later one', async () => {
  const { read, writer } = base.storage
  const before = await readDirectoryVersion(read)
  const versionAfter = async (more: { mode: 'live' | 'test'; recipients: string[] }) => {
    await writer.write(async (tx) => {
      const unit = await takeChange(tx, base.clock.now())
      await storeOptOuts(tx, { ids: base.ids, unit }, { ...ada, ...more, origin: 'message' })
    })
    return (await readDirectoryVersion(read)) - before
  }
  expect(await versionAfter({ mode: 'live', recipients: [stopped] })).toBe(1)
  expect(await versionAfter({ mode: 'live', recipients: [other] })).toBe(1)
  expect(await versionAfter({ mode: 'test', recipients: [other] })).toBe(2)
}) // prettier-ignore

test('while it reads anew, and when it cannot, it asks about everybody instead of trusting what it knew', async () => {
  await optOuts.refresh()
  expect(await find()).toEqual([])
  await store()
  const failing = statements().mockRejectedValueOnce(new StorageError('gone', 'unavailable', false))
  const refreshing = optOuts.refresh().catch(String)
  expect(await find()).toEqual([stopped])
  expect(await refreshing).toContain('gone')
  failing.mockRestore()
  expect(await find()).toEqual([stopped])
})

test('of two readings that overlap the later one counts, though the earlier one ends before it', async () => {
  const executor = base.storage.read.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const held: (() => void)[] = []
  statements().mockImplementation(async (...query) => {
    const answer = await execute(...query)
    await new Promise<void>((resolve) => held.push(resolve))
    return answer
  })
  const earlier = optOuts.refresh()
  await vi.waitUntil(() => held.length === 1, { timeout: 10_000 })
  await store()
  const later = optOuts.refresh()
  await vi.waitUntil(() => held.length === 2, { timeout: 10_000 })
  vi.restoreAllMocks()
  held[0]?.()
  await earlier
  expect(await find()).toEqual([stopped])
  held[1]?.()
  await later
  expect(await find()).toEqual([stopped])
})

test('an opt-out that has ended stops nobody, one without an end stops for ever', async () => {
  await store(base.clock.now() + 60_000)
  expect(await find()).toEqual([stopped])
  base.clock.jumpWallClock(60_000)
  expect(await find()).toEqual([])
  await base.storage.writer.write((tx) => tx.updateTable('opt_outs').set({ forget_at: null }).execute())
  base.clock.jumpWallClock(100 * 365 * 86_400_000)
  expect(await find()).toEqual([stopped])
})

const claimed = {
  accountId: 'acc_ada', mode: 'live', messageId: 'msg_1', attemptId: 'att_1', attemptNumber: 1, startedAt: 0, deviceId: 'dev_1', to: stopped, from: null, text: 'Hi',
  encoding: 'gsm7', parts: 1, category: 'transactional', expiresAt: Number.MAX_SAFE_INTEGER, onUnknown: 'stop', possibleDuplicate: false,
  position: { route_key: 'live:', priority: 1, due_at: 0, refusals: 0 },
} as const // prettier-ignore

test('what waits for room on its link is not handed over once its number has opted out, but for the confirmation', async () => {
  const submitted: string[] = []
  const device = {
    hasLease: true,
    link: {
      submit: async ({ attemptId }: { attemptId: string }) => (
        submitted.push(attemptId),
        { kind: 'accepted', networkIds: [], partsTaken: 1, receipts: false }
      ),
    },
  }
  const leave = (more: { messageId?: string; to?: string } = {}, atMs = 0, waitedMs = 0) =>
    submitClaimed(
      {
        clock: base.clock,
        log: createLog('silent', { write: () => undefined }),
        hasOptedOut: ({ to: recipient, ...each }, waited) =>
          optOuts.hasOptedOut(
            { ...each, recipient },
            { waitedMs: waited, monotonicMs: atMs, nowMs: base.clock.now() },
          ),
      },
      { ...claimed, ...more, attemptId: `${more.messageId ?? 'msg_1'}/${atMs}` },
      device as never,
      waitedMs,
    )
  const consent = { ...ada, recipient: stopped }
  optOuts.note({ optedOut: [{ ...consent, confirmationId: 'msg_2' }], optedIn: [] }, 0)
  expect(await leave()).toMatchObject({ kind: 'unavailable' })
  await leave({ messageId: 'msg_2' })
  await leave({ messageId: 'msg_3', to: other })
  // What was claimed later the claim has looked at: another process has ended it meanwhile.
  await leave({ messageId: 'msg_4' }, 2_000)
  expect(await leave({ messageId: 'msg_4' }, 2_000, 1_500)).toMatchObject({ kind: 'unavailable' })
  optOuts.note({ optedOut: [], optedIn: [consent] }, 0)
  await leave({ messageId: 'msg_5' })
  expect(submitted).toEqual(['msg_2/0', 'msg_3/0', 'msg_4/2000', 'msg_5/0'])
  submitted.length = 0
  // Another process stores it, and this one is told nothing.
  await store()
  const asked = statements()
  await leave({ messageId: 'msg_6' }, 0, 100)
  expect(asked).not.toHaveBeenCalled()
  expect(await leave({ messageId: 'msg_7' }, 0, 101)).toMatchObject({
    kind: 'unavailable',
    detail: expect.stringContaining('has opted out') as string,
  })
  await leave({ messageId: 'msg_8', to: other }, 0, 101)
  asked.mockRejectedValue(new StorageError('gone', 'unavailable', false))
  expect(await leave({ messageId: 'msg_9', to: other }, 0, 101)).toMatchObject({
    kind: 'unavailable',
    detail: expect.stringContaining('could not be checked') as string,
  })
  vi.restoreAllMocks()
  expect(submitted).toEqual(['msg_6/0', 'msg_8/0'])
})

test('a link that sends a part again later is told whether the number has opted out since, by this process or another', async () => {
  const told: unknown[] = []
  const consent = { ...ada, recipient: stopped }
  const ask = async ({ hasOptedOut }: Submission): Promise<void> => void told.push(await hasOptedOut?.())
  const submit = async (itself: Submission) => {
    await ask(itself)
    optOuts.note({ optedOut: [{ ...consent, confirmationId: null }], optedIn: [] }, base.clock.monotonicMs())
    await ask(itself)
    optOuts.note({ optedOut: [], optedIn: [consent] }, base.clock.monotonicMs())
    await ask(itself)
    await store()
    await base.clock.advance(1_500)
    await ask(itself)
    statements().mockRejectedValue(new StorageError('gone', 'unavailable', false))
    await ask(itself)
    return { kind: 'accepted', networkIds: [], receiptExpected: false }
  }
  const hasOptedOut = ({ to: recipient, ...each }: { to: string } & typeof claimed, waitedMs: number) =>
    optOuts.hasOptedOut(
      { ...each, recipient },
      { waitedMs, monotonicMs: base.clock.monotonicMs(), nowMs: base.clock.now() },
    )
  const log = createLog('silent', { write: () => undefined })
  const device = { hasLease: true, link: { submit } }
  await submitClaimed({ clock: base.clock, log, hasOptedOut: hasOptedOut as never }, claimed, device as never)
  vi.restoreAllMocks()
  expect(told).toEqual([false, true, false, true, null])
})

test('what a link has not sent when its number opts out is no fault of the link: it goes where the next claim cancels it', async () => {
  const asked: unknown[] = []
  const submit = async ({ isKnownOptedOut }: Submission) => {
    asked.push(isKnownOptedOut?.())
    optOuts.note(
      { optedOut: [{ ...ada, recipient: stopped, confirmationId: null }], optedIn: [] },
      base.clock.monotonicMs(),
    )
    asked.push(isKnownOptedOut?.())
    return { kind: 'unavailable', detail: 'no room' }
  }
  const isKnownOptedOut = ({ to: recipient, ...each }: { to: string } & typeof claimed, waitedMs: number) =>
    optOuts.isKnownOptedOut({ ...each, recipient }, { waitedMs, monotonicMs: base.clock.monotonicMs() })
  const log = createLog('silent', { write: () => undefined })
  const deps = { clock: base.clock, log, isKnownOptedOut: isKnownOptedOut as never }
  const outcome = await submitClaimed(deps, claimed, { hasLease: true, link: { submit } } as never)
  expect([asked, isOfDevice(outcome)]).toEqual([[false, true], false])
})

test('an opt-out that this process has stored counts before anything is read anew', async () => {
  await optOuts.refresh()
  expect(await find()).toEqual([])
  await store()
  optOuts.note({ optedOut: [{ ...ada, recipient: stopped, confirmationId: null }], optedIn: [] }, 0)
  expect(await find()).toEqual([stopped])
})

test('many opt-outs at once walk over the accounts once, and not at all where their account is known', async () => {
  await store()
  await optOuts.refresh()
  const walked = (accountIds: readonly string[]): number => {
    const optedOut = accountIds.map((accountId) => ({
      ...ada,
      accountId,
      recipient: other,
      confirmationId: null,
    }))
    const walks = vi.spyOn(Set.prototype, Symbol.iterator)
    optOuts.note({ optedOut, optedIn: [] }, 0)
    const times = walks.mock.calls.length
    walks.mockRestore()
    return times
  }
  expect(walked([ada.accountId, ada.accountId])).toBe(0)
  expect(walked(['acc_bob', 'acc_cyd', 'acc_bob'])).toBe(1)
  const asked = statements()
  for (const accountId of ['acc_bob', 'acc_cyd']) await find({ accountId, mode: 'live' })
  expect(asked).toHaveBeenCalledTimes(2)
})

test('when nobody can say who opted out, nothing is sent', async () => {
  statements().mockRejectedValue(new StorageError('gone', 'unavailable', false))
  await expect(find()).rejects.toThrow('gone')
  vi.restoreAllMocks()

  const api = await startTestApi({
    ports: { optedOut: () => Promise.reject(new StorageError('gone', 'unavailable', false)) },
  })
  const answer = await api.send({ to: stopped, text: 'Hello' })
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(answer.body.detail).toMatch(/Nothing was sent\.$/)
  expect(await api.storage.read.selectFrom('messages').selectAll().execute()).toEqual([])
  await api.close()
})
