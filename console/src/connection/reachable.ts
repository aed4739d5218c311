/** How long the server may take to answer at all, ms: a network that swallows packets answers nothing. */
const timeoutMs = 5_000

/**
 * Whether the server answers, ready or not. A proxy with nothing behind it answers for itself with 5xx, and a captive portal with a page; one that does
 * not let this path through (401, 403, 404) has let the page itself through.
 */
export async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    if ([401, 403, 404].includes(response.status)) return true
    const answer: unknown = await response.json()
    return typeof answer === 'object' && answer !== null && 'status' in answer && 'reasons' in answer
  } catch {
    return false
  }
}
