import type { Clock } from '../clock.ts'
import type { Inbound } from '../connectors/connector.ts'
import type { Ids } from '../ids.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import { mostCharacters } from '../messages/inbound-message.ts'
import { receiveMessages } from '../messages/receive-messages.ts'
import { parsePhoneNumber } from '../phone-number.ts'
import { measureText } from '../sms-text.ts'
import type { Writer } from '../storage/writer.ts'
import type { DevicePool } from './device-pool.ts'

interface InboundReceiverDeps {
  writer: Writer
  ids: Ids
  clock: Clock
  pool: Pick<DevicePool, 'get'>
  horizon: WriteHorizon
  /** How long the pieces of a long message are waited for. */
  joinMs: number
}

/** Takes in what reaches a device: measured, and stored before the device is told so. */
export class InboundReceiver {
  readonly #deps: InboundReceiverDeps

  constructor(deps: InboundReceiverDeps) {
    this.#deps = deps
  }

  /** Settles when the message is stored (or was stored before); rejects when it could not be. */
  async receive(deviceId: string, inbound: Inbound): Promise<void> {
    const { writer, ids, clock, pool, horizon, joinMs } = this.#deps
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
      ...(inbound.part === undefined ? {} : { part: inbound.part }),
    }
    await horizon.hold(receivedAt, () => writer.write((tx) => receiveMessages(tx, ids, [message], joinMs)))
  }
}
