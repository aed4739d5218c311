import { randomBytes } from 'node:crypto'
import { BoundedMap } from '../runtime/bounded-map.ts'
import { hourMs } from '../runtime/clock.ts'
import { androidKind } from '../connectors/android/android.ts'
import { judgeFailure } from '../connectors/android/failure.ts'
import { Phone } from '../connectors/android/phone.ts'
import type { PhonePorts, Registration, SaidByApp, VisitPorts } from '../connectors/android/ports.ts'
import { createPhoneDeps } from '../devices/phones/phone-deps.ts'
import type { PhoneIdentities } from '../devices/phones/phone-identities.ts'
import { findPhoneToken } from '../devices/phones/phone-tokens.ts'
import { findPhone } from '../devices/phones/known-phone.ts'
import { goneMs, markTokenUsed, registerPhone, updatePhone } from '../devices/phones/registered-phones.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import type { CanarySenders } from '../dispatch/devices/canary-senders.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { DispatchUnits } from '../dispatch/submissions/dispatch-units.ts'
import type { InboundReceiver } from '../dispatch/inbound/inbound-receiver.ts'
import { PhoneGateway } from '../dispatch/phones/phone-gateway.ts'
import { Refusal } from '../runtime/errors.ts'
import type { Log } from '../process/log.ts'
import { longestOfferMs, noteSent } from '../messages/phones/phone-offers.ts'
import { readUnfinishedOffers } from '../messages/phones/unfinished-offers.ts'
import { SlidingCount, takeOrRefuse } from '../runtime/sliding-count.ts'
import type { Wiring } from './wiring.ts'

interface PhonesDeps {
  pool: DevicePool
  canaries: CanarySenders
  identities: PhoneIdentities
  inboundReceiver: Pick<InboundReceiver, 'receive'>
  claim: DispatchUnits['claim']
  dueNow: () => number
  wake: (route: Route) => void
}

/** Returns what the routes of the phones, and visits to them, need. */
export function createPhones(wiring: Wiring, deps: PhonesDeps): PhonePorts & VisitPorts {
  const { writer } = wiring
  const { pool, identities, inboundReceiver } = deps
  const gateway = new PhoneGateway({ ...wiring, ...deps, fence: wiring.epoch.epoch, judgeFailure })
  const phone = (deviceId: string): Phone | null => {
    const link = pool.get(deviceId)?.link
    return link instanceof Phone ? link : null
  }
  return {
    register: registerWith(wiring, pool, identities, phone),
    identify: identifyWith(identities, wiring),
    identifyHook: (hookSecret) => identities.find({ hookSecret }),
    async update(registration, reported) {
      if (!hasNewFacts(registration, reported)) return
      await writer.write((tx) => updatePhone(tx, wiring.clock.now(), registration.phoneId, reported))
      identities.forget()
    },
    offer: ({ phoneId, deviceId }) => {
      const hangsAfterMs = phone(deviceId)?.resyncAfterMs ?? Number.POSITIVE_INFINITY
      return gateway.offer({ phoneId, deviceId, hangsAfterMs })
    },
    report: ({ deviceId, phoneId }, reports) =>
      wiring.changes.after(
        gateway.report(reports.map((report) => ({ ...report, deviceId, phoneId }))),
        ofAny,
      ),
    sentOver: ({ deviceId, phoneId }, sent) =>
      writer.write((tx) => noteSent(tx, { ...sent, deviceId, phoneId })),
    inbound: ({ deviceId }, inbound) =>
      wiring.changes.after(inboundReceiver.receive(deviceId, inbound), ofAny),
    unparsed: ({ deviceId }, kind, form) => wiring.unparsed.note(deviceId, kind, form),
    async visited(deviceId) {
      const known = await findPhone(wiring.read, wiring, { deviceId })
      return known && { registration: known, connectedAt: known.deviceSince, localId: known.localId }
    },
    async held({ deviceId, phoneId }) {
      const asked = { deviceId, phoneId, nowMs: wiring.clock.now(), spanMs: longestOfferMs }
      return (await readUnfinishedOffers(wiring.read, asked)).map(({ attemptId }) => attemptId)
    },
    hasMore: ({ deviceId }: Registration) => gateway.hasMore(deviceId),
    phone,
  }
}

/** Registers a phone by the private token that was entered in its app; returns null for an invalid token. */
const registerWith = (
  { read, writer, clock, ids, secretBox, config, counts, log }: Wiring,
  pool: DevicePool,
  identities: PhoneIdentities,
  phone: (deviceId: string) => Phone | null,
): PhonePorts['register'] => {
  const registrations = new SlidingCount(
    { clock, shared: { counts, kind: 'registrations' } },
    { most: config.registrationsPerHour, windowMs: hourMs },
  )
  return async (privateToken, reported) => {
    // Checked by a read: an invalid token must not delay other writes.
    const owner = await findPhoneToken(read, privateToken)
    if (owner === null) return null
    takeOrRefuse(registrations, owner.tokenId)
    const nowMs = clock.now()
    const isPresent = (deviceId: string): boolean => {
      const known = phone(deviceId)
      return known !== null && (known.isStreaming || (known.health().lastSeenAt ?? 0) > nowMs - goneMs)
    }
    const registering = createPhoneDeps(
      { ids, secretBox, nowMs, randomBytes, config },
      androidKind,
      isPresent,
    )
    const made = await writer
      .write((tx) => registerPhone(tx, registering, privateToken, reported))
      .catch((error: unknown) => logRejected(log, owner.accountId, error))
    if (made === null) return null
    identities.forget()
    await pool.reloadIfChanged()
    const known = await identities.find({ deviceToken: made.deviceToken })
    return { ...made, accountName: known?.accountName ?? '', registration: known }
  }
}

/** Logs why a registration was rejected: the app does not show it, and retries indefinitely. */
function logRejected(log: Pick<Log, 'warn'>, accountId: string | null, error: unknown): never {
  if (error instanceof Refusal)
    log.warn({ account_id: accountId, why: error.extra.detail }, 'a phone registration was rejected')
  throw error
}

/** A shared phone reports on messages of many accounts, so null stands for any account. */
const ofAny = (): [null] => [null]

/** Returns whether an app reports new facts. At each of its starts it repeats the same ones. */
const hasNewFacts = (known: Registration, { usesPush, sims, appVersion }: SaidByApp): boolean =>
  usesPush !== known.usesPush ||
  (sims !== null && JSON.stringify(sims) !== JSON.stringify(known.sims)) ||
  (appVersion !== null && appVersion !== known.appVersion)

/** Cache size until the stored rows are reloaded. With more phones, some first contacts are stored twice. */
const maxRecent = 10_000

/** Identifies a phone by its token, and stores when the token was first used. */
function identifyWith(
  identities: PhoneIdentities,
  { writer, clock }: Pick<Wiring, 'writer' | 'clock'>,
): PhonePorts['identify'] {
  const recent = new BoundedMap<true>(maxRecent)
  return async (deviceToken) => {
    const known = await identities.find({ deviceToken })
    if (known === null || known.isTokenUsed || recent.get(known.phoneId)) return known
    await writer.write((tx) => markTokenUsed(tx, clock.now(), known.phoneId))
    recent.set(known.phoneId, true)
    return known
  }
}
