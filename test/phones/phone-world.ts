import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { setDevice } from '../../src/devices/core/device-store.ts'
import { mintPhoneToken } from '../../src/devices/phones/phone-tokens.ts'
import { findPhone, type KnownPhone } from '../../src/devices/phones/known-phone.ts'
import { type PhoneDeps, registerPhone } from '../../src/devices/phones/registered-phones.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { DevicePool } from '../../src/dispatch/devices/device-pool.ts'
import { createExpirer } from '../../src/dispatch/sweepers/expirer.ts'
import { createOfferExpirer } from '../../src/dispatch/sweepers/offer-expirer.ts'
import { PhoneGateway } from '../../src/dispatch/phones/phone-gateway.ts'
import { createReceiptExpirer } from '../../src/dispatch/sweepers/receipt-expirer.ts'
import { createRescuer } from '../../src/dispatch/sweepers/rescuer.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { createLog } from '../../src/process/log.ts'
import { cancelMessages } from '../../src/messages/queue/cancel-messages.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { expectSums } from '../messages/expect-sums.ts'
import type { NearStore } from '../near-store.ts'
import { sendRequest } from '../send-request.ts'
import { createStubClock } from '../stub-clock.ts'
import { pullKind } from './pull-kind.ts'
import { Handset, longText } from './handset.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'

const log = createLog('silent', { write: () => undefined })
const secretBox = createDeviceSecretBox({ current: 's'.repeat(32), former: [] })
const kind = pullKind()
const metrics = createMetrics()
const hourMs = 3_600_000

/** One account with two phones of its own and one that the operator shares, each with what it really sent. */
export async function openPhoneWorld(store: NearStore) {
  const clock = createStubClock()
  const ids = createIds({ now: clock.now })
  const { db: read, writer } = store
  const deps = (): PhoneDeps => ({
    ids, nowMs: clock.now(), secretBox, kind: 'android', rules: kind, randomBytes, isPresent: () => false, maxPhones: 3_000,
  }) // prettier-ignore
  const pool = new DevicePool({
    read,
    clock,
    log,
    random: () => 0.5,
    loadKind: async () => kind,
    openSecrets: () => ({}),
    changed: () => undefined,
    planKey: '5e'.repeat(32),
    reloadIntervalMs: 500,
    breakerRestMs: 0,
    eventsOf: () => ({
      receipt: async () => undefined,
      inbound: async () => undefined,
      lateOutcome: async () => undefined,
      healthChanged: () => undefined,
    }),
  })
  let fence = 1
  const createDesk = (): PhoneGateway =>
    new PhoneGateway({
      read, writer, clock, log, metrics, pool, fence, judgeFailure, wake: () => undefined, dueNow: clock.now,
      claim: (input) => writer.write((tx) => claimMessages(tx, ids, input, changeOnDemand(tx, input.nowMs))),
    }) // prettier-ignore
  let desk = createDesk()
  const tending = { read, writer, clock, log, metrics }
  const expirer = createExpirer(tending)
  const offerExpirer = createOfferExpirer(tending)
  const receiptExpirer = createReceiptExpirer({
    ...tending,
    receiptWindowMs: 72 * hourMs,
    correctionDays: 7,
    unmatchedMs: 72 * hourMs,
    maxUnmatched: 1_000,
  })
  const air: string[] = []

  await writer.write(async (tx) => {
    const nowMs = clock.now()
    const account = { id: 'acc_a', name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(account).execute()
    await tx
      .insertInto('instance')
      .values({ id: 1, epoch: 1, directory_version: 1, created_at: nowMs })
      .execute()
    await openWallets(
      tx,
      { ids, nowMs },
      { accountId: 'acc_a', freeSms: 60, playSms: 0, lowThreshold: 0, actor: 'test' },
    )
  })
  const mint = async (accountId: string | null): Promise<string> =>
    (await writer.write((tx) => mintPhoneToken(tx, deps(), { accountId, mode: 'live', actor: 'test' }))).token
  const tokens = { own: await mint('acc_a'), shared: await mint(null) }
  const register = async (iccid: string): Promise<KnownPhone> => {
    const token = iccid === 'shared' ? tokens.shared : tokens.own
    const sims = [{ slot: 1, number: null, carrier: null, iccid }]
    const said = { name: 'samsung/a12', sims, usesPush: false, appVersion: '1.68.0' }
    const made = await writer.write((tx) => registerPhone(tx, deps(), token, said))
    await pool.reloadIfChanged()
    return (await findPhone(read, deps(), made!))!
  }
  const handsets: Handset[] = []
  for (const iccid of ['1', '2', 'shared']) handsets.push(new Handset(iccid, await register(iccid), air))

  const sweep = async (): Promise<void> => {
    await expirer.sweepAll()
    await offerExpirer.sweepAll()
    await receiptExpirer.sweepAll()
  }
  /** What messages cost when they ended, by their recipients. */
  const prices = new Map<string, number>()
  let sent = 0
  const numbers = (count: number): string[] =>
    Array.from({ length: count }, () => `+49151${String(10_000_000 + ++sent)}`)

  const world = {
    handsets,
    clock,
    air,
    async send(count: number, isLong: boolean, validityMs: number, resendOnce: boolean): Promise<void> {
      const request = sendRequest(
        { ids, nowMs: clock.now() },
        {
          to: numbers(count),
          ...(isLong && { text: longText, parts: 2 }),
          onUnknown: resendOnce ? 'resend_once' : 'stop',
          expiresAt: clock.now() + validityMs,
        },
      )
      await writer.write((tx) => sendMessages(tx, [request], takeChange(tx, clock.now())))
    },
    /** The answer may be lost on its way. */
    async pull(handset: Handset, isLost: boolean): Promise<void> {
      const { phoneId, deviceId } = handset.registration
      const offers = await desk.offer({ phoneId, deviceId, hangsAfterMs: 600_000 })
      if (!isLost) handset.take(offers)
    },
    async report(handset: Handset, which: readonly number[]): Promise<void> {
      const { snapshots, registration } = handset
      const { deviceId, phoneId } = registration
      const said = snapshots.length === 0 ? [] : which.map((i) => snapshots[i % snapshots.length]!)
      await desk.report(said.map((report) => ({ ...report, deviceId, phoneId })))
    },
    async installAnew(handset: Handset): Promise<void> {
      await clock.advance(61_000)
      handset.installAnew(await register(handset.iccid))
    },
    async restart(): Promise<void> {
      fence += 1
      desk = createDesk()
      await createRescuer({ ...tending, fence }).sweepAll()
    },
    async enable(handset: Handset, isEnabled: boolean): Promise<void> {
      const state = isEnabled ? 'enabled' : 'disabled'
      const change = { deviceId: handset.registration.deviceId, actor: 'test', state } as const
      await writer.write((tx) => setDevice(tx, deps(), change))
      await pool.reloadIfChanged()
      await offerExpirer.sweepAll()
    },
    async cancel(which: number): Promise<void> {
      const rows = await read.selectFrom('messages').select('id').orderBy('id').execute()
      const row = rows[which % Math.max(1, rows.length)]
      if (row === undefined) return
      const name = { accountId: 'acc_a', mode: 'live', messageId: row.id } as const
      await writer.write(async (tx) =>
        cancelMessages(tx, await takeChange(tx, clock.now()), [name], 'canceled_by_user'),
      )
    },
    async pass(ms: number): Promise<void> {
      await clock.advance(ms)
      await sweep()
    },
    /** Until nothing can be waited for any more. */
    async end(): Promise<void> {
      await clock.advance(28 * hourMs)
      await sweep()
      await expectSums(read, clock.now())
      await clock.advance(73 * hourMs)
      await sweep()
    },
    messages: () =>
      read
        .selectFrom('messages')
        .select(['recipient', 'status', 'charged', 'parts', 'finalized_at'])
        .orderBy('id')
        .execute(),
    sums: () => expectSums(read, clock.now()),
    /** What is told of each message is true of what went over the air, nobody got one twice, and what has ended costs what it cost then. */
    async truths(): Promise<void> {
      expect(air.toSorted()).toEqual([...new Set(air)].toSorted())
      const inAir = new Set(air)
      const messages = await world.messages()
      for (const { recipient, charged, finalized_at } of messages)
        if (finalized_at !== null && !prices.has(recipient)) prices.set(recipient, charged)
      expect(
        messages.filter(({ recipient, charged }) => charged !== (prices.get(recipient) ?? charged)),
      ).toEqual([])
      const lies = messages.filter(({ recipient, status, charged }) => {
        const went = inAir.has(recipient)
        if (status === 'sent' || status === 'delivered' || status === 'undelivered') return !went
        if (status === 'failed' || status === 'expired' || status === 'canceled') return went || charged > 0
        return charged > 0 && !went
      })
      expect(lies).toEqual([])
    },
  }
  return world
}

export type PhoneWorld = Awaited<ReturnType<typeof openPhoneWorld>>
