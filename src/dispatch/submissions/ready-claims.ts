import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'

interface Deps {
  /** Whether this node hands over to the device: it runs here and is up. */
  isUp(device: DeviceRuntime): boolean
  leave(claimed: Claimed, device: DeviceRuntime): void
  /** Puts it back into the queue: nothing of it has left. */
  giveBack(claimed: Claimed, device: DeviceRuntime): void
}

/**
 * Claims that are flushed and wait for room on their link, so that the next can leave the moment another is answered. They are few: as many
 * as the link lets be claimed ahead of its window. When the link drops or stops they go back at once.
 */
export class ReadyClaims {
  readonly #deps: Deps
  readonly #waiting = new Map<DeviceRuntime, Claimed[]>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Lets it leave when there is room, else keeps it until there is. */
  add(claimed: Claimed, device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device) ?? []
    this.#waiting.set(device, [...waiting, claimed])
    this.fill(device)
  }

  /** Something of the device came to its end: there may be room. */
  fill(device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device)
    if (waiting === undefined || !this.#deps.isUp(device)) return
    while (device.hasRoom) {
      const next = waiting.shift()
      if (next === undefined) break
      this.#deps.leave(next, device)
    }
    if (waiting.length === 0) this.#waiting.delete(device)
  }

  /** Devices or their state changed. */
  tend(): void {
    for (const device of this.#waiting.keys()) {
      if (this.#deps.isUp(device)) this.fill(device)
      else this.#giveBack(device)
    }
  }

  /** Nothing more leaves. */
  giveAllBack(): void {
    for (const device of this.#waiting.keys()) this.#giveBack(device)
  }

  #giveBack(device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device) ?? []
    this.#waiting.delete(device)
    for (const claimed of waiting) this.#deps.giveBack(claimed, device)
  }
}
