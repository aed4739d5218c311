import type { Health } from '../health.ts'
import { dayMs } from '../../runtime/clock.ts'
import { isSince, oldestSupported } from './app-version.ts'
import type { Called, HookReason } from './hook-watch.ts'
import type { AndroidSettings } from './settings.ts'

export type SeenSims = readonly {
  slot: number
  number: string | null
  carrier: string | null
  iccid?: string | null
}[]

/** What a phone reported of its health. */
export interface SeenHealth {
  battery: { percent: number; charging: boolean } | null
  network: { transport: string | null; registered: boolean | null } | null
  /** It reports that nothing at all could be sent for an hour. */
  fails: boolean
}

/** What a phone reported about itself when it registered, as stored. Numbers of SIMs are masked. */
export interface RegisteredAs extends Called {
  appVersion: string | null
  usesPush: boolean
  /** An empty list is a statement too; null: an old app does not report them. */
  sims: SeenSims | null
  /** The end of the certificate with which it connects; null where this server has none. Omitted: as before. */
  certificateUntilMs?: number | null
}

/** What is known of a phone, and since when. Spans end now. */
export interface PhoneFacts {
  isStopped: boolean
  /** An event stream is open, as far as this is known. */
  isStreaming: boolean
  /** Time since the last contact; null: never. */
  silentMs: number | null
  /** Time since its last event stream was lost, if there was no contact after it. */
  lostMs: number | null
  usesPush: boolean
  lastSeenAt: number | null
  /** Its last contact that may have been by the address of phones; omitted without one. */
  contact?: Health['contact']
  appVersion: string | null
  battery: Health['battery']
  network: Health['network']
  /** Null: unknown. */
  sims: Health['sims'] | null
  /** Why it may not forward received messages. */
  hooks: HookReason | null
  clockOffsetMs: number
  failsRepeatedly: boolean
  /** The end of the certificate with which it connects; null or omitted where this server has none. */
  certificateUntilMs?: number | null
  /** How visits to it go; null or omitted for a phone that visits. */
  visits?: VisitFacts | null
  nowMs: number
}

/** How visits to a phone go. */
export interface VisitFacts {
  /** Why the last one failed; null after a successful one, and before the first. */
  fault: string | null
  /** Time since the first failure in a row; null after a success. */
  failingMs: number | null
  /** No later visit can succeed by itself. */
  isLasting: boolean
}

const lowBatteryPercent = 15
const tolerableSkewMs = 60_000
/** Renewal is tried from day 300 of a year on: it has failed for a month by then. */
const certificateEndsMs = 30 * dayMs
/** Keep-alives without contact after a lost stream: the app reconnects within 5 s. */
const missedKeepAlives = 2

type Thresholds = Pick<
  AndroidSettings,
  'keepAliveMs' | 'lateAfterMs' | 'offlineAfterMs' | 'probeAfterMs' | 'visitIdleMs' | 'wakeAnswerMs'
>

/**
 * Returns the health of a phone: online by its stream or by regular polling, degraded when something will
 * soon keep it from sending.
 */
export function healthOf(facts: PhoneFacts, settings: Thresholds): Health {
  const reach = reachOf(facts, settings)
  const troubles = reach.status === 'online' ? troublesOf(facts) : []
  const reasons = [...reach.reasons, ...troubles]
  return {
    status: reach.status === 'online' && reasons.length > 0 ? 'degraded' : reach.status,
    reasons,
    ...(facts.sims?.length === 0 && { cannotSend: true }),
    link: reach.link,
    lastSeenAt: facts.lastSeenAt,
    ...(facts.contact !== undefined && { contact: facts.contact }),
    nextContactExpectedBy: expectedBy(facts, settings, reach.link),
    appVersion: facts.appVersion,
    battery: facts.battery,
    network: facts.network,
    sims: facts.sims ?? [],
    lastError: null,
  }
}

interface Reach {
  status: Health['status']
  link: Health['link']
  reasons: readonly string[]
}

function reachOf(facts: PhoneFacts, settings: Thresholds): Reach {
  const { isStopped, isStreaming, silentMs, lostMs, usesPush } = facts
  if (isStopped) return { status: 'offline', link: 'none', reasons: [] }
  const { visits = null } = facts
  if (visits !== null) return visitedReach(visits, silentMs)
  if (isStreaming) return { status: 'online', link: 'stream', reasons: [] }
  if (silentMs === null) return { status: 'pending', link: 'none', reasons: [] }
  if (lostMs !== null && lostMs >= missedKeepAlives * settings.keepAliveMs)
    return { status: 'offline', link: 'none', reasons: ['stream_lost'] }
  if (silentMs >= settings.offlineAfterMs) return { status: 'offline', link: 'none', reasons: ['no_contact'] }
  const push = usesPush ? ['push_only'] : []
  const late = silentMs >= settings.lateAfterMs ? ['contact_late'] : []
  return { status: 'online', link: usesPush ? 'push' : 'poll', reasons: [...late, ...push] }
}

/** One lost answer is no evidence: Wi-Fi has gaps. */
const offlineAfterFailingMs = 30_000

function visitedReach({ fault, failingMs, isLasting }: VisitFacts, silentMs: number | null): Reach {
  if (fault === null)
    return silentMs === null
      ? { status: 'pending', link: 'none', reasons: [] }
      : { status: 'online', link: 'visit', reasons: [] }
  const isOffline = isLasting || silentMs === null || (failingMs ?? 0) >= offlineAfterFailingMs
  return { status: isOffline ? 'offline' : 'online', link: isOffline ? 'none' : 'visit', reasons: [fault] }
}

function troublesOf(facts: PhoneFacts): string[] {
  const { sims, battery, clockOffsetMs, appVersion, failsRepeatedly, visits = null } = facts
  // A phone that is visited is given no webhooks.
  const hooks = visits === null ? facts.hooks : null
  const { certificateUntilMs = null } = facts
  const endsSoon = certificateUntilMs !== null && certificateUntilMs - facts.nowMs <= certificateEndsMs
  const isLow = battery !== null && battery.percent < lowBatteryPercent && !battery.charging
  return [
    ...(sims?.length === 0 ? ['no_sim'] : []),
    ...(failsRepeatedly ? ['repeated_failures'] : []),
    ...(hooks === null ? [] : [hooks]),
    ...(isLow ? ['battery_low'] : []),
    ...(endsSoon ? ['certificate_ending'] : []),
    ...(Math.abs(clockOffsetMs) > tolerableSkewMs ? ['clock_skew'] : []),
    ...(appVersion !== null && !isSince(appVersion, oldestSupported) ? ['app_outdated'] : []),
  ]
}

/** Returns when its silence begins to matter. */
function expectedBy(facts: PhoneFacts, settings: Thresholds, link: Health['link']): number | null {
  const { silentMs, nowMs } = facts
  if (silentMs === null || link === 'none') return null
  const isProbed = link === 'stream' && settings.probeAfterMs > 0
  const usualMs = link === 'visit' ? 2 * settings.visitIdleMs : settings.lateAfterMs
  const withinMs = isProbed ? settings.probeAfterMs + settings.wakeAnswerMs : usualMs
  return Math.max(nowMs, Math.round(nowMs - silentMs + withinMs))
}
