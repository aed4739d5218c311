import type { Clock } from '../clock.ts'
import type { Inbound } from '../connectors/connector.ts'
import type { Ids } from '../ids.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import { receiveMessages } from '../messages/receive-messages.ts'
import { parsePhoneNumber } from '../phone-number.ts'
import { measureText } from '../sms-text.ts'
import type { Writer } from '../storage/writer.ts'
import type { DevicePool } from './device-pool.ts'

/** Longer than any joined SMS (255 parts of 153 characters); what a device says beyond it is cut. */
const mostCharacters = 40_000

/** Takes in what reaches a device: measured, and stored before the device is told so. */
export class InboundReceiver {
  readonly #deps: { writer: Writer; ids: Ids; clock: Clock; pool: DevicePool; horizon: WriteHorizon }

  constructor(deps: { writer: Writer; ids: Ids; clock: Clock; pool: DevicePool; horizon: WriteHorizon }) {
    this.#deps = deps
  }

  /** Settles when the message is stored (or was stored before); rejects when it could not be. */
  async receive(deviceId: string, inbound: Inbound): Promise<void> {
    const { writer, ids, clock, pool, horizon } = this.#deps
    const device = pool.get(deviceId)
    if (device === null) throw new Error('the device is not running')
    const text = inbound.text.slice(0, mostCharacters)
    const number = parsePhoneNumber(inbound.from)
    const { encoding, units, parts } = measureText(text, 'auto')
    const { from, to, inReplyTo, fingerprint } = inbound
    const { accountId, mode } = device.facts
    const country = 'country' in number ? number.country : null
    const receivedAt = clock.now()
    const message = {
      deviceId,
      accountId,
      mode,
      from,
      to,
      country,
      text,
      encoding,
      units,
      parts,
      receivedAt,
      inReplyTo,
      fingerprint,
    }
    await horizon.hold(receivedAt, () => writer.write((tx) => receiveMessages(tx, ids, [message])))
  }
}
