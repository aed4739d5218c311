import type { Health } from '../connector.ts'
import { isSince, oldestSupported } from './app-version.ts'
import type { AndroidSettings } from './settings.ts'

export type SeenSims = readonly {
  slot: number
  number: string | null
  carrier: string | null
  iccid?: string | null
}[]

/** What a phone said of itself when it registered, as it is stored. Numbers of SIMs are masked. */
export interface RegisteredAs {
  appVersion: string | null
  usesPush: boolean
  /** None is a word too; null: an old app says nothing of them. */
  sims: SeenSims | null
  /** It is told an address of its own machine for what it receives. Left out: as before. */
  isDeaf?: boolean
}

/** What a phone was heard to say, and when. Spans end now. */
export interface PhoneFacts {
  isStopped: boolean
  /** An event stream is open, as far as one can know. */
  isStreaming: boolean
  /** Since the phone was last heard; null: never. */
  silentMs: number | null
  /** Since its last event stream was lost, if nothing was heard from it after that. */
  lostMs: number | null
  usesPush: boolean
  lastSeenAt: number | null
  appVersion: string | null
  battery: Health['battery']
  network: Health['network']
  /** Null: nobody has said. */
  sims: Health['sims'] | null
  /** It is told an address for what it receives that cannot be the one of this service. */
  isDeaf: boolean
  clockOffsetMs: number
  failsRepeatedly: boolean
  nowMs: number
}

const lowBatteryPercent = 15
const tolerableSkewMs = 60_000
/** So many keep-alives without a word after a lost stream: the app is back within 5 s. */
const missedKeepAlives = 2

type Thresholds = Pick<
  AndroidSettings,
  'keepAliveMs' | 'lateAfterMs' | 'offlineAfterMs' | 'probeAfterMs' | 'wakeAnswerMs'
>

/** What a phone says of itself: online by its stream or by asking often enough, degraded when something will keep it from sending soon. */
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
  if (isStreaming) return { status: 'online', link: 'stream', reasons: [] }
  if (silentMs === null) return { status: 'pending', link: 'none', reasons: [] }
  if (lostMs !== null && lostMs >= missedKeepAlives * settings.keepAliveMs)
    return { status: 'offline', link: 'none', reasons: ['stream_lost'] }
  if (silentMs >= settings.offlineAfterMs) return { status: 'offline', link: 'none', reasons: ['no_contact'] }
  const push = usesPush ? ['push_only'] : []
  const late = silentMs >= settings.lateAfterMs ? ['contact_late'] : []
  return { status: 'online', link: usesPush ? 'push' : 'poll', reasons: [...late, ...push] }
}

function troublesOf(facts: PhoneFacts): string[] {
  const { sims, battery, clockOffsetMs, appVersion, failsRepeatedly, isDeaf } = facts
  const isLow = battery !== null && battery.percent < lowBatteryPercent && !battery.charging
  return [
    ...(sims?.length === 0 ? ['no_sim'] : []),
    ...(failsRepeatedly ? ['repeated_failures'] : []),
    ...(isDeaf ? ['receives_nothing'] : []),
    ...(isLow ? ['battery_low'] : []),
    ...(Math.abs(clockOffsetMs) > tolerableSkewMs ? ['clock_skew'] : []),
    ...(appVersion !== null && !isSince(appVersion, oldestSupported) ? ['app_outdated'] : []),
  ]
}

/** When its silence will begin to mean something. */
function expectedBy(facts: PhoneFacts, settings: Thresholds, link: Health['link']): number | null {
  const { silentMs, nowMs } = facts
  if (silentMs === null || link === 'none') return null
  const isProbed = link === 'stream' && settings.probeAfterMs > 0
  const withinMs = isProbed ? settings.probeAfterMs + settings.wakeAnswerMs : settings.lateAfterMs
  return Math.max(nowMs, Math.round(nowMs - silentMs + withinMs))
}
