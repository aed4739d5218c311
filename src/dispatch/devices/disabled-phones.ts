import { isPull } from '../../connectors/connector.ts'
import type { DeviceSlot } from './device-slot.ts'

/**
 * Phones whose devices are disabled. They keep their event streams: what a person cancels reaches them at once, and when the device is enabled
 * again nothing has to connect anew. They are given nothing to send.
 */
export class DisabledPhones {
  readonly #slots = new Map<string, DeviceSlot>()

  get ids(): readonly string[] {
    return [...this.#slots.keys()]
  }

  /** Takes in a device that runs; false for one of another kind, or that does not. */
  take(deviceId: string, slot: DeviceSlot): boolean {
    const link = slot.runtime?.link
    if (link === undefined || !isPull(link)) return false
    link.rest(true)
    this.#slots.set(deviceId, slot)
    return true
  }

  /** Gives a device back; null when it does not rest here. */
  wakeUp(deviceId: string): DeviceSlot | null {
    const slot = this.#slots.get(deviceId)
    if (slot === undefined) return null
    this.#slots.delete(deviceId)
    const link = slot.runtime?.link
    if (link !== undefined && isPull(link)) link.rest(false)
    return slot
  }

  /** Tells a resting phone to let go of what it holds. */
  recall(deviceId: string, attemptId: string): void {
    const link = this.#slots.get(deviceId)?.runtime?.link
    if (link !== undefined && isPull(link)) link.recall(attemptId)
  }
}
