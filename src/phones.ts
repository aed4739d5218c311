import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { ConnectorKind } from './connectors/connector.ts'
import type { Phone } from './connectors/android/phone.ts'
import type { PhonePorts, Registration } from './connectors/android/ports.ts'
import { PhoneIdentities } from './devices/phone-identities.ts'
import { goneMs, type PhoneDeps, registerPhone, updatePhone } from './devices/phones.ts'
import type { DevicePool } from './dispatch/device-pool.ts'
import type { InboundReceiver } from './dispatch/inbound-receiver.ts'
import type { PhoneDesk } from './dispatch/phone-desk.ts'
import { isPull } from './connectors/connector.ts'
import type { Ids } from './ids.ts'
import { noteSim } from './messages/phone-offers.ts'
import type { Db } from './storage/dialect.ts'
import type { Writer } from './storage/writer.ts'

export interface PhonePortsDeps extends Pick<PhoneDeps, 'secretBox' | 'hookKey'> {
  read: Db
  writer: Writer
  clock: Clock
  ids: Ids
  pool: DevicePool
  desk: PhoneDesk
  inboundReceiver: Pick<InboundReceiver, 'receive'>
  kind: ConnectorKind
}

/** What the routes of the phones need, of what the service has. */
export function createPhonePorts(deps: PhonePortsDeps): PhonePorts {
  const { writer, clock, ids, pool, desk, inboundReceiver, kind } = deps
  const identities = new PhoneIdentities(deps)
  const phone = (deviceId: string): Phone | null => {
    const link = pool.get(deviceId)?.link
    // Only a device of this kind is known by a phone's token.
    return link !== undefined && isPull(link) ? (link as Phone) : null
  }
  const terms = (deviceId: string) =>
    phone(deviceId)?.terms ?? { simOf: {}, turns: [], hangsAfterMs: Number.POSITIVE_INFINITY }
  return {
    async register(privateToken, said) {
      const nowMs = clock.now()
      const isPresent = (deviceId: string): boolean => {
        const known = phone(deviceId)
        return known !== null && (known.isStreaming || (known.health().lastSeenAt ?? 0) > nowMs - goneMs)
      }
      const registering: PhoneDeps = {
        ...deps,
        ids,
        nowMs,
        rules: kind,
        randomBytes,
        isPresent,
      }
      const made = await writer.write((tx) => registerPhone(tx, registering, privateToken, said))
      if (made === null) return null
      identities.forget()
      await pool.reloadIfChanged()
      const known = await identities.find({ deviceToken: made.deviceToken })
      return { ...made, accountName: known?.accountName ?? '' }
    },
    identify: (deviceToken) => identities.find({ deviceToken }),
    identifyHook: (hookSecret) => identities.find({ hookSecret }),
    async update({ phoneId }, said) {
      await writer.write((tx) => updatePhone(tx, clock.now(), phoneId, said))
      identities.forget()
    },
    offer: ({ phoneId, deviceId }) => desk.offer({ phoneId, deviceId, ...terms(deviceId) }),
    report: ({ deviceId }, reports) => desk.report(reports.map((report) => ({ ...report, deviceId }))),
    sentOver: ({ deviceId }, sent) => writer.write((tx) => noteSim(tx, { ...sent, deviceId })),
    inbound: ({ deviceId }, inbound) => inboundReceiver.receive(deviceId, inbound),
    hasMore: ({ deviceId }: Registration) => desk.hasMore(deviceId),
    phone,
  }
}
