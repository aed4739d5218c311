import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { SimChoice } from '../../src/connectors/sim-choice.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { mintPhoneToken } from '../../src/devices/phones/phone-tokens.ts'
import { findPhone, type KnownPhone } from '../../src/devices/phones/known-phone.ts'
import {
  markTokenUsed,
  type PhoneDeps,
  registerPhone,
  type SaidOfPhone,
} from '../../src/devices/phones/registered-phones.ts'
import { createOfferExpirer } from '../../src/dispatch/sweepers/offer-expirer.ts'
import { createRecallSender } from '../../src/dispatch/sweepers/send-recalls.ts'
import { createHalfOpenWatch } from '../../src/dispatch/sweepers/half-open-phones.ts'
import { PhoneGateway } from '../../src/dispatch/phones/phone-gateway.ts'
import type { PhoneReport } from '../../src/dispatch/phones/phone-report.ts'
import { createLog } from '../../src/process/log.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import type { OfferedMessage } from '../../src/messages/phones/read-offers.ts'
import { judgeFailure } from '../../src/connectors/android/failure.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { pullKind } from './pull-kind.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'

const said = (iccid: string): SaidOfPhone => ({
  name: 'samsung/a12',
  sims: [{ slot: 1, number: '********1234', carrier: '**elco', iccid }],
  usesPush: false,
  appVersion: '1.68.0',
})

export interface DeskHouse extends MessagesFixture {
  woken: string[]
  /** Attempts that phones were told to let go of. */
  recalled: string[]
  /** Devices of which this node hears nothing. */
  silent: Set<string>
  /** Devices whose app is connected just now. */
  connected: Set<string>
  privateToken: string
  /** Registers a phone whose SIM has this ICCID: the same again is the same phone, installed anew. */
  register(iccid: string, token?: string): Promise<KnownPhone & { deviceToken: string }>
  known(deviceToken: string): Promise<KnownPhone | null>
  pull(phone: KnownPhone): Promise<OfferedMessage[]>
  report(phone: KnownPhone, ...reports: Omit<PhoneReport, 'deviceId' | 'phoneId'>[]): Promise<PhoneReport[]>
  /** A new desk, as after a restart. */
  restart(): void
  sweep(): Promise<void>
  messages(): Promise<
    {
      status: string
      charged: number
      attempts: number
      device_id: string | null
      error_code: string | null
      network_code: string | null
      corrected: number
    }[]
  >
  wallet(): Promise<{ reserved: number; used: number }>
}

/** The domain with the account `acc_a`, 1,000 SMS, and phones that come by registering. */
export async function openDeskHouse({
  window = 20,
  sims,
}: { window?: number; sims?: SimChoice } = {}): Promise<DeskHouse> {
  const woken: string[] = []
  const connected = new Set<string>()
  const recalled: string[] = []
  const silent = new Set<string>()
  const kind = pullKind(woken, recalled, window, sims, silent)
  const house = await openMessagesFixture(kind)
  onTestFinished(() => house.close())
  const { storage, clock, ids, pool } = house
  await house.addGrantedAccount()
  const secretBox = createDeviceSecretBox({ current: 's'.repeat(32), former: [] })
  const deps = (): PhoneDeps => ({
    ids, nowMs: clock.now(), secretBox, kind: 'android', rules: kind, randomBytes, isPresent: (id) => connected.has(id), maxPhones: 3_000,
  }) // prettier-ignore
  const { token: privateToken } = await storage.writer.write((tx) =>
    mintPhoneToken(tx, deps(), { accountId: 'acc_a', mode: 'live', actor: 'test' }),
  )
  const log = createLog('silent', { write: () => undefined })
  const createDesk = (): PhoneGateway =>
    new PhoneGateway({
      ...house, read: storage.read, writer: storage.writer, log, fence: 1, judgeFailure, dueNow: () => house.dispatcher.dueNow(), wake: (route) => house.dispatcher.wake(route),
      claim: (input) => storage.writer.write((tx) => claimMessages(tx, ids, input, changeOnDemand(tx, input.nowMs))),
    }) // prettier-ignore
  let desk = createDesk()
  const recaller = createRecallSender({ ...house, read: storage.read, log })
  const closer = createOfferExpirer({ ...house, read: storage.read, writer: storage.writer, log })
  const trialWatch = createHalfOpenWatch({ ...house, read: storage.read, log })
  return {
    ...house,
    woken,
    recalled,
    silent,
    connected,
    privateToken,
    async register(iccid, token = privateToken) {
      const made = await storage.writer.write((tx) => registerPhone(tx, deps(), token, said(iccid)))
      if (made === null) throw new Error('the private token was refused')
      await storage.writer.write((tx) => markTokenUsed(tx, clock.now(), made.phoneId))
      await pool.reloadIfChanged()
      const known = await findPhone(storage.read, deps(), made)
      return { ...(known as KnownPhone), deviceToken: made.deviceToken }
    },
    known: (deviceToken) => findPhone(storage.read, deps(), { deviceToken }),
    pull: ({ phoneId, deviceId }) => desk.offer({ phoneId, deviceId, hangsAfterMs: 600_000 }),
    report: ({ deviceId, phoneId }, ...reports) =>
      desk.report(reports.map((report) => ({ ...report, deviceId, phoneId }))),
    restart: () => void (desk = createDesk()),
    sweep: async () => {
      await closer.sweepAll()
      await recaller.sweepAll()
      await trialWatch.sweepAll()
    },
    messages: () =>
      storage.read
        .selectFrom('messages')
        .select(['status', 'charged', 'attempts', 'device_id', 'error_code', 'network_code', 'corrected'])
        .orderBy('id')
        .execute(),
    wallet: () =>
      storage.read
        .selectFrom('wallets')
        .select(['reserved', 'used'])
        .where('account_id', '=', 'acc_a')
        .where('mode', '=', 'live')
        .executeTakeFirstOrThrow(),
  }
}

/** What a phone says of offers, each in its turn. */
export const sayAll =
  (state: 'pending' | 'sent' | 'delivered' | 'failed' | 'canceled', error: string | null = null) =>
  (offer: { attemptId: string }) => ({ attemptId: offer.attemptId, state, error })

/** The phone may send as fast as it can. */
export async function liftPace({
  storage,
  clock,
  pool,
}: Awaited<ReturnType<typeof openDeskHouse>>): Promise<void> {
  await storage.writer.write(async (tx) => {
    const free = { parts_per_window: null, window_seconds: null, updated_at: clock.now() + 1 }
    await tx.updateTable('devices').set(free).execute()
    await touchDirectory(tx)
  })
  await pool.reloadIfChanged()
}
