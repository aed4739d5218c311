import type { RefusalReason } from '../connector.ts'
import type { Fate } from './network-id.ts'
import type { SimulatorSettings } from './settings.ts'

/**
 * What the simulator does with a message.
 * - `unavailable`: the device is offline.
 * - `refused`: nothing reaches the network.
 * - `silent`: it reaches the network, and the response is lost.
 * - `taken`: the network accepts it; `receiptAfterMs` later it has its result.
 */
export type Scenario =
  | { kind: 'unavailable' }
  | { kind: 'refused'; answerAfterMs: number; reason: RefusalReason }
  | { kind: 'silent'; answerAfterMs: number }
  | { kind: 'taken'; answerAfterMs: number; receiptAfterMs: number; fate: Fate }

/** Test numbers with a simulated outcome; those that the API rejects never arrive here. */
const magicNumbers = {
  unreachable: '+15005550002',
  broken: '+15005550005',
  silent: '+15005550007',
  late: '+15005550009',
  optsOut: '+15005550011',
} as const

/** The number that replies STOP to every message. */
export const optOutNumber = magicNumbers.optsOut

const refusals = {
  good: { lasts: 'good', code: 'network_rejected', networkCode: 'simulated_good' },
  now: { lasts: 'now', code: 'no_service', networkCode: 'simulated_now' },
  busy: { lasts: 'busy', code: 'network_congested', networkCode: 'simulated_busy' },
} as const satisfies Record<string, RefusalReason>

/** Decides by the settings first, then by the number. */
export function scenarioFor(to: string, settings: SimulatorSettings): Scenario {
  const { submitDelayMs: answerAfterMs, delayMs } = settings
  if (settings.offline) return { kind: 'unavailable' }
  if (settings.refuse !== 'none') return { kind: 'refused', answerAfterMs, reason: refusals[settings.refuse] }
  if (settings.fail === 'unknown') return { kind: 'silent', answerAfterMs }

  const ends = (fate: Fate, receiptAfterMs = delayMs): Scenario => {
    return { kind: 'taken', answerAfterMs, receiptAfterMs, fate: settings.dropReceipts ? 'dropped' : fate }
  }
  switch (to) {
    case magicNumbers.unreachable:
      return ends('undelivered')
    case magicNumbers.silent:
      return ends('lost', 10_000)
    case magicNumbers.optsOut:
      return ends('stop')
    case magicNumbers.broken:
      return {
        kind: 'refused',
        answerAfterMs,
        reason: { lasts: 'good', code: 'device_error', networkCode: null },
      }
    case magicNumbers.late:
      return {
        kind: 'refused',
        answerAfterMs: Math.max(answerAfterMs, 3000),
        reason: { lasts: 'expired', code: 'expired_in_queue', networkCode: null },
      }
    default:
      return ends('delivered')
  }
}
