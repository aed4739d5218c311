import type { Claimed } from '../../messages/queue/claim-messages.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'

interface Deps {
  /** Returns whether this node submits to the device: it runs here and is up. */
  isUp(device: DeviceRuntime): boolean
  submit(claimed: Claimed, device: DeviceRuntime): void
  /** Requeues it: nothing of it was submitted. */
  release(claimed: Claimed, device: DeviceRuntime): void
}

/**
 * Flushed claims that wait for room on their link, so that the next is submitted the moment another is
 * answered. They are few: as many as the link allows to claim ahead of its window. When the link drops or
 * stops they are requeued immediately.
 */
export class ReadyClaims {
  readonly #deps: Deps
  readonly #waiting = new Map<DeviceRuntime, Claimed[]>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Submits it when there is room, or keeps it until there is. */
  add(claimed: Claimed, device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device)
    if (waiting === undefined) this.#waiting.set(device, [claimed])
    else waiting.push(claimed)
    this.fill(device)
  }

  /** An attempt of the device has finished: there may be room. */
  fill(device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device)
    if (waiting === undefined || !this.#deps.isUp(device)) return
    while (device.hasRoom) {
      const next = waiting.shift()
      if (next === undefined) break
      this.#deps.submit(next, device)
    }
    if (waiting.length === 0) this.#waiting.delete(device)
  }

  /** Checks all after devices or their state changed. */
  tend(): void {
    for (const device of this.#waiting.keys()) {
      if (this.#deps.isUp(device)) this.fill(device)
      else this.#release(device)
    }
  }

  /** Releases all: nothing more is submitted. */
  releaseAll(): void {
    for (const device of this.#waiting.keys()) this.#release(device)
  }

  #release(device: DeviceRuntime): void {
    const waiting = this.#waiting.get(device) ?? []
    this.#waiting.delete(device)
    for (const claimed of waiting) this.#deps.release(claimed, device)
  }
}
