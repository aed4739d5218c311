import { isPull } from '../../connectors/connector.ts'
import type { DeviceSlot } from './device-slot.ts'

/**
 * Phones whose devices are disabled. Their event streams stay open: cancellations reach them immediately, and
 * enabling the device needs no reconnect. They are given nothing to send.
 */
export class DisabledPhones {
  readonly #slots = new Map<string, DeviceSlot>()

  get ids(): readonly string[] {
    return [...this.#slots.keys()]
  }

  /** Keeps a device that runs. Returns false for another kind of device, or for one that does not run. */
  take(deviceId: string, slot: DeviceSlot): boolean {
    const link = slot.runtime?.link
    if (link === undefined || !isPull(link)) return false
    link.rest(true)
    this.#slots.set(deviceId, slot)
    return true
  }

  /** The devices without the one of this slot: after the loss of its lease it can do nothing, and is started again later. */
  besides(slot: DeviceSlot): ReadonlySet<string> {
    return new Set(this.ids.filter((id) => this.#slots.get(id) !== slot))
  }

  /** Removes a device and returns it; null when it is not here. */
  wakeUp(deviceId: string): DeviceSlot | null {
    const slot = this.#slots.get(deviceId)
    if (slot === undefined) return null
    this.#slots.delete(deviceId)
    const link = slot.runtime?.link
    if (link !== undefined && isPull(link)) link.rest(false)
    return slot
  }

  /** Asks a disabled phone to drop an attempt that it holds. */
  recall(deviceId: string, attemptId: string): void {
    const link = this.#slots.get(deviceId)?.runtime?.link
    if (link !== undefined && isPull(link)) link.recall(attemptId)
  }
}
