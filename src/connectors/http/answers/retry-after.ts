import { minuteMs } from '../../../runtime/clock.ts'

/** A provider that asks for a longer rest is asked again after this. */
const longestRestMs = 10 * minuteMs

/**
 * Returns how long a provider wants no requests (RFC 9110, section 10.2.3): seconds, or a date, which is compared with the
 * clock of the answer. Null when it says nothing that can be read.
 */
export function retryAfterMs(header: string | undefined, answeredAt: string | undefined): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Math.min(Number(header) * 1_000, longestRestMs)
  const [untilMs, nowMs] = [Date.parse(header), Date.parse(answeredAt ?? '')]
  if (Number.isNaN(untilMs)) return null
  return Math.min(Math.max(0, untilMs - (Number.isNaN(nowMs) ? untilMs - minuteMs : nowMs)), longestRestMs)
}
