import { dayMs } from '../../../runtime/clock.ts'
import { BoundedMap } from '../../../runtime/bounded-map.ts'

/** AWS renews certificates about once a year, under new addresses. */
const keptMs = dayMs
/** One for each region, and a few that are being renewed. */
const maxKept = 100

/** Returns the text at a URL; null where there is none. */
export type FetchText = (url: URL) => Promise<string | null>

/** Fetches certificates, each at most once a day; one that could not be fetched is asked for again. */
export function keepCertificates(fetchText: FetchText, clock: { now(): number }): FetchText {
  const kept = new BoundedMap<{ text: string; untilMs: number }>(maxKept)
  return async (url) => {
    const known = kept.get(url.href)
    if (known !== undefined && clock.now() < known.untilMs) return known.text
    const text = await fetchText(url)
    if (text !== null) kept.set(url.href, { text, untilMs: clock.now() + keptMs })
    return text
  }
}
