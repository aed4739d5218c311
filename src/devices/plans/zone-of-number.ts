import { parsePhoneNumber } from '../../numbers/phone-number.ts'

/**
 * Returns the zone in which the days of a SIM with this number are counted: that of its country, if all clocks of the
 * country agree in winter and in summer; null if they do not, or the number has no country.
 */
export function zoneOfNumber(number: string, nowMs: number): string | null {
  const parsed = parsePhoneNumber(number)
  if (typeof parsed === 'string' || !('country' in parsed) || parsed.country === null) return null
  const locale = new Intl.Locale(`und-${parsed.country}`) as { getTimeZones?: () => string[] | undefined }
  const zones = locale.getTimeZones?.() ?? []
  const halfYearMs = 182 * 86_400_000
  const clocks = new Set(
    zones.map((zone) => [nowMs, nowMs + halfYearMs].map((atMs) => hourIn(zone, atMs)).join()),
  )
  return clocks.size === 1 ? (zones[0] ?? null) : null
}

const hourIn = (zone: string, atMs: number): string =>
  new Date(atMs).toLocaleString('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
